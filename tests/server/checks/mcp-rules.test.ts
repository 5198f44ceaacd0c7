import { expect, test } from 'vitest';
import type { CheckedAgent } from '../../support/check.ts';
import { checkAgent, expectFix } from '../../support/check.ts';
import { type RuleCase, testAgentRules } from '../../support/rule-cases.ts';

/** A variable as pi reads it in mcp.json. */
const inBraces = (name: string) => `$\{${name}}`;

const KEY = 'Zq4T8vW1nB6';

/** An agent with this mcp.json. */
const mcp = (content: unknown): CheckedAgent => ({
  files: { 'mcp.json': typeof content === 'string' ? content : JSON.stringify(content) },
});

const servers = (mcpServers: object) => mcp({ mcpServers });

const good = servers({
  docs: { url: 'https://docs.example/mcp', type: 'http', oauth: { clientRegistration: 'dcr' } },
  'my-files_2': { command: 'npx', args: ['-y', 'x'], env: { A: 'b' }, enabled: false, unknown: [1] },
});

const cases: readonly RuleCase<CheckedAgent>[] = [
  {
    rule: 'mcp-json-syntax',
    bad: mcp('{\n  // a note\n  "mcpServers": {}\n}'),
    marks: [''],
    says: 'pi ignores the whole file',
    good: [good, mcp('{}'), mcp('\uFEFF{"mcpServers": {}}'), {}],
  },
  {
    rule: 'mcp-json-syntax',
    bad: mcp('{"mcpServers": {"docs": {"command": "x",}}}'),
    marks: [''],
    good: [mcp('[]')],
  },
  { rule: 'mcp-json-syntax', bad: mcp(''), marks: [''], good: [good] },
  {
    rule: 'mcp-server-name',
    bad: servers({ 'my docs': { command: KEY }, 'a-b': { command: 'x' }, a_b: { command: KEY }, é: {} }),
    marks: ['"my docs"', '"a_b"', '"é"'],
    says: 'pi skips the MCP server "my docs". The name of an MCP server can contain only letters',
    hides: KEY,
    good: [good, servers({ 'a-b': { command: 1 }, a_b: { command: 'x' } })],
  },
  {
    rule: 'mcp-server-transport',
    bad: servers({
      old: { type: 'sse', url: `https://${KEY}.example/sse` },
      odd: { type: KEY, url: 'https://a.example' },
      number: { type: 5, command: 'x' },
      none: { args: [KEY] },
      text: KEY,
      list: [],
      web: { type: 'http', command: KEY },
      program: { type: 'stdio', url: 'https://a.example' },
    }),
    marks: ['"sse"', `"${KEY}"`, '5', '"none"', '"text"', '"list"', '"web"', '"program"'],
    says: 'pi doesn’t support SSE',
    hides: KEY,
    good: [good, servers({ both: { command: 'x', url: 'https://a.example' } })],
  },
  {
    rule: 'mcp-command-spaces',
    bad: servers({ files: { command: `npx -y @x/files ${KEY}` }, more: { command: ' uvx x' } }),
    marks: [`"npx -y @x/files ${KEY}"`, '" uvx x"'],
    says: 'pi can’t start the MCP server "files", because "command" contains spaces.',
    hides: KEY,
    good: [
      good,
      servers({
        path: { command: '/Applications/My Server.app/run' },
        windows: { command: 'C:\\Program Files\\x.exe' },
        web: { command: 'npx x', url: 'https://a.example' },
      }),
    ],
  },
  {
    rule: 'mcp-server-value',
    bad: servers({
      args: { command: 'x', args: ['a', 1] },
      env: { command: 'x', env: { A: 1, B: KEY } },
      off: { command: 'x', enabled: KEY },
      url: { url: `file:///${KEY}` },
      time: { command: 'x', timeout: 0 },
      how: { command: 'x', exposure: KEY },
      header: { url: 'https://a.example', headers: [KEY] },
      login: { url: 'http://a.example', auth: { provider: 'radius' } },
      sign: { url: 'https://a.example', oauth: { callbackPort: 0, clientSecret: KEY } },
    }),
    marks: [
      '1',
      '1',
      `"${KEY}"`,
      `"file:///${KEY}"`,
      '0',
      `"${KEY}"`,
      `["${KEY}"]`,
      '{"provider":"radius"}',
      '0',
    ],
    says: 'pi skips the MCP server "args". "args" must be a list of strings.',
    hides: KEY,
    good: [good, servers({ 'a b': { command: 'x', args: 1 } })],
  },
  {
    rule: 'mcp-server-value',
    bad: mcp({ mcpServers: [KEY], autoEnableCodemode: KEY }),
    marks: [`["${KEY}"]`, `"${KEY}"`],
    says: 'pi ignores mcp.json unless it is an object',
    hides: KEY,
    good: [mcp({ autoEnableCodemode: false, other: KEY })],
  },
  { rule: 'mcp-server-value', bad: mcp('[]'), marks: ['[]'], good: [mcp('{')] },
];

testAgentRules(cases);

test('what to do about a secret depends on whether pi replaces variables in its place', () => {
  const found = checkAgent(
    servers({
      docs: { url: 'https://docs.example/mcp', headers: { Authorization: `Bearer ${KEY}` } },
      'my-app': { url: `https://x.example/?token=${KEY}`, headers: { 'X-Api-Key': KEY } },
      '2nd': { command: 'x', args: [`--token=${KEY}`], env: { API_KEY: KEY } },
      sign: { url: 'https://a.example', oauth: { clientSecret: KEY } },
    }),
    'secret-in-file',
  );
  const advice = found.map(({ message }) => message.replace('A secret is in mcp.json. ', ''));
  const write = (text: string) => `Put it in an environment variable, and write "${text}" here.`;
  const nowhere =
    'pi doesn’t replace variables here. Pass the secret in a header or in "env" instead, and write "$NAME" there.';
  expect(advice.toSorted()).toEqual(
    [
      write(`Bearer ${inBraces('DOCS_TOKEN')}`),
      write(inBraces('MY_APP_X_API_KEY')),
      nowhere,
      write(inBraces('API_KEY')),
      nowhere,
      write(inBraces('SIGN_SECRET')),
    ].toSorted(),
  );
});

test('a command is split, unless that would repeat an argument or change its meaning', () => {
  const checkOf = (text: string) => checkAgent(mcp(text), 'mcp-command-spaces');
  const file = (server: string) => `{\n  "mcpServers": {\n    "a": ${server}\n  }\n}\n`;
  expectFix(
    checkOf,
    file('{ "command": "npx -y  x", "cwd": "a" }'),
    file('{ "command": "npx", "args": ["-y", "x"], "cwd": "a" }'),
  );
  for (const server of [
    '{ "command": "npx -y", "args": ["x"] }',
    '{ "command": "sh -c \\"a b\\"" }',
    '{ "command": "npx $PACKAGE" }',
  ])
    expect(checkOf(file(server)).map(({ fix }) => fix)).toEqual([undefined]);
});
