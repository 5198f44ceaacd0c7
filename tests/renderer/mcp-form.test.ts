import { expect, test } from 'vitest';
import { readSnippet } from '../../src/renderer/src/features/mcp/read-snippet.ts';
import { MCP_SERVER } from '../../src/renderer/src/features/mcp/server-kind.ts';
import { commandWords } from '../../src/renderer/src/json-form/command-words.ts';
import { entryChange, entryIn } from '../../src/renderer/src/json-form/entry-kind.ts';
import { type Drafts, draftsOf, isComplete, NEW_ENTRY } from '../../src/renderer/src/json-form/fields.ts';
import { makeRow } from '../../src/renderer/src/json-form/rows.ts';
import type { JsonFile } from '../../src/shared/api/json-files.ts';

test('a command line is split into words, and quotes keep spaces', () => {
  const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
    ['npx', ['npx']],
    ['  npx -y   @scope/server ', ['npx', '-y', '@scope/server']],
    ['"C:\\Program Files\\node.exe" C:\\x.js', ['C:\\Program Files\\node.exe', 'C:\\x.js']],
    ['sh -c \'echo "a b"\'', ['sh', '-c', 'echo "a b"']],
    ['/Applications/My\\ App/run --dir="a b"c', ['/Applications/My App/run', '--dir=a bc']],
    ['x "" y', ['x', '', 'y']],
    ['x "open', ['x', 'open']],
    ['', []],
  ];
  for (const [line, words] of lines) expect.soft([line, commandWords(line)]).toEqual([line, words]);
});

const fileOf = (value: JsonFile['value'], hidden: JsonFile['hidden'] = []): JsonFile => ({
  ...{ file: 'mcp.json', exists: true, etag: '"x"', text: '', problems: [] },
  value,
  hidden,
});

const changed = (file: JsonFile, name: string | null, change: Drafts) => {
  const entry = entryIn(MCP_SERVER, file, name);
  const drafts = { ...draftsOf(MCP_SERVER.fields, entry), ...change };
  const all = MCP_SERVER.fields.filter(({ of }) => of === undefined || of === 'stdio');
  if (!isComplete(all, entry, drafts)) return 'incomplete';
  return entryChange(MCP_SERVER, { oldName: name, name: name ?? 'new', choice: 'stdio', drafts, file });
};

test('a typed command line becomes a program and its arguments, before those of the rows', () => {
  const path = ['mcpServers', 'new'];
  expect(changed(fileOf({}), null, { command: 'npx -y "a b"', args: [makeRow('', '--fast')] })).toEqual([
    { path, value: { command: 'npx', args: ['-y', 'a b', '--fast'] } },
  ]);
  expect(changed(fileOf({}), null, { command: '"/a b/run"' })).toEqual([
    { path, value: { command: '/a b/run' } },
  ]);

  const at = ['mcpServers', 'files'];
  const files = { mcpServers: { files: { command: 'npx', args: ['old'] } } };
  expect(changed(fileOf(files), 'files', { command: 'uvx run' })).toEqual([
    { path: [...at, 'command'], value: 'uvx' },
    { path: [...at, 'args'], value: ['run', 'old'] },
  ]);
  // A path that was there stays one word.
  const odd = { mcpServers: { files: { command: '/a b/run', args: ['x'] } } };
  expect(changed(fileOf(odd), 'files', { description: 'Odd' })).toEqual([
    { path: [...at, 'description'], value: 'Odd' },
  ]);
  // Hidden arguments can't be written again.
  const hidden = fileOf({ mcpServers: { files: { command: 'npx', args: ['•••'] } } }, [
    { hidden: 'text', path: [...at, 'args', 0] },
  ]);
  expect(changed(hidden, 'files', { command: 'uvx run' })).toBe('incomplete');
  expect(changed(hidden, 'files', { command: 'uvx' })).toEqual([{ path: [...at, 'command'], value: 'uvx' }]);
});

const FILES = { command: 'npx', args: ['-y', '@scope/files', '/tmp'], env: { TOKEN: 'your-token' } };

test('the JSON of a README becomes a server, however much of it was copied', () => {
  const json = JSON.stringify(FILES);
  const found = [{ name: 'files', value: FILES, leftOut: [] }];
  const texts = [
    `{"mcpServers":{"files":${json}}}`,
    `"mcpServers": {"files":${json}}`,
    `{"files":${json}}`,
    `"files": ${json},`,
    `{"servers":{"files":${json}}}`,
    `{"mcp":{"servers":{"files":${json}}}}`,
    `{"inputs":[{"id":"x"}],"servers":{"files":${json}}}`,
    `Add this:\n\n\`\`\`json\n{"mcpServers":{"files":${json}}}\n\`\`\`\n`,
    `{\n  // Files\n  "mcpServers": { "files": ${json.slice(0, -1)},\n // more\n }, },\n}`,
  ];
  for (const text of texts) expect.soft([text, readSnippet(text)]).toEqual([text, found]);
  expect(readSnippet(json)).toEqual([{ name: '', value: FILES, leftOut: [] }]);
});

test('servers of other programs are translated, and what pi can’t have is named', () => {
  const snippet = {
    mcpServers: {
      '@scope/docs server': { type: 'http', serverUrl: 'https://docs.example/mcp', headers: { 'X-Id': 7 } },
      old: { type: 'sse', url: 'https://old.example/sse', disabled: false, autoApprove: [] },
      array: { type: 'local', command: ['bun', 'x', 'docs'], environment: { PORT: 1 }, enabled: true },
    },
  };
  expect(readSnippet(JSON.stringify(snippet))).toEqual([
    {
      name: 'scope-docs-server',
      value: { url: 'https://docs.example/mcp', headers: { 'X-Id': '7' } },
      leftOut: [],
    },
    { name: 'old', value: { url: 'https://old.example/sse' }, leftOut: ['type', 'disabled', 'autoApprove'] },
    {
      name: 'array',
      value: { command: 'bun', args: ['x', 'docs'], env: { PORT: '1' } },
      leftOut: ['enabled'],
    },
  ]);
});

test('a text without a server says what is missing', () => {
  for (const text of ['npx -y x', '{"mcpServers":', '[1]', '"files"', '{"a":1'])
    expect
      .soft([text, readSnippet(text)])
      .toEqual([text, 'This isn’t complete JSON. Copy all of the example.']);
  for (const text of ['{}', '{"a":1}', '{"mcpServers":{}}', '{"mcpServers":{"a":{"name":"x"}}}'])
    expect
      .soft([text, readSnippet(text)])
      .toEqual([text, 'This JSON has no server with a command or an address.']);
  expect(draftsOf(MCP_SERVER.fields, { ...NEW_ENTRY, value: FILES })).toMatchObject({ command: 'npx' });
});
