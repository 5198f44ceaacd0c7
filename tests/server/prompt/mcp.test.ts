import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plant, type Tree } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { servePrompts } from './serve-prompts.ts';

/** An mcp.json with these servers. */
const mcpJson = (mcpServers: object): Tree => ({ 'agents/scout/mcp.json': JSON.stringify({ mcpServers }) });

const codesOf = ({ notes }: { notes: { code: string }[] }): string[] => notes.map(({ code }) => code);

test('names the MCP servers of an agent, follows each change, and shows nothing else of mcp.json', async () => {
  const { prompt, operator, rootPath } = await servePrompts();
  const before = (await prompt({}, operator)).body;
  const server = (description: string) => ({
    command: 'npx',
    args: ['--token=secret-1'],
    env: { KEY: 'secret-2' },
    unknown: 'secret-3',
    description,
  });
  const site = { url: 'https://secret-4@example.com/mcp', headers: { Authorization: 'Bearer secret-5' } };
  await plant(rootPath, mcpJson({ docs: server('Docs.\nsecret-6'), site, off: { ...site, enabled: false } }));

  const { body } = await prompt({}, operator);

  expect(body.text).toBe(
    `${before.text}\n\n<mcp_servers>\n${[
      'MCP servers whose tools are not declared to you. Call the tools of `codemode` servers from codemode scripts.',
      '- mcp__docs (codemode): Docs.',
      '- mcp__site (codemode)',
    ].join('\n')}\n</mcp_servers>`,
  );
  expect(body.sections.at(-1)).toMatchObject({ name: 'mcp_servers', source: { kind: 'mcp' } });
  expect(body.tools).toEqual([...before.tools, 'codemode']);
  expect(body.complete).toBe(false);
  expect(codesOf(body)).toEqual(['mcp_unknown']);
  expect(body.notes[0].message).toContain(': "site".');
  expect(JSON.stringify(body)).not.toContain('secret-');

  // The same size, at once after the other.
  for (const word of ['More', 'Less'] as const) {
    await plant(rootPath, mcpJson({ docs: server(`${word}.\nsecret-6`) }));
    expect((await prompt({}, operator)).body).toMatchObject({
      complete: true,
      notes: [],
      text: expect.stringContaining(`: ${word}.\n</mcp_servers>`),
    });
  }
  await plant(rootPath, mcpJson({}));
  expect((await prompt({}, operator)).body.text).toBe(before.text);
});

test('says that pi ignores an mcp.json or an entry, without repeating what is in it', {
  tags: 'slow',
}, async () => {
  const { prompt, rootPath } = await servePrompts({ 'agents/scout/mcp.json': '{"mcpServers": secret' });
  const broken = (await prompt()).body;
  expect(codesOf(broken)).toEqual(['mcp_broken']);
  expect(broken.complete).toBe(true);
  expect(JSON.stringify(broken)).not.toContain('secret');

  await plant(rootPath, mcpJson({ 'a b': { command: 'secret' }, c: { command: 1, env: { K: 'secret' } } }));
  const { body } = await prompt();
  expect(codesOf(body)).toEqual(['mcp_refused']);
  expect(body.notes[0].message).toContain('"a b", "c"');
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('reads no MCP servers outside the root, and none from a file of logins', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { 'mcp.json': JSON.stringify({ mcpServers: { outside: { command: 'x' } } }) });
  const { prompt, operator, rootPath } = await servePrompts({
    'agents/scout/mcp.json': { link: join(outside, 'mcp.json') },
  });
  const { body } = await prompt();
  expect(codesOf(body)).toEqual(['outside_left_out']);
  expect(JSON.stringify(body)).not.toContain('mcp__');
  expect((await prompt({}, operator)).body.text).toContain('- mcp__outside (codemode)');

  await rm(join(rootPath, 'agents/scout/mcp.json'));
  await plant(rootPath, {
    'agents/scout/auth.json': JSON.stringify({ mcpServers: { login: { command: 'x' } } }),
    'agents/scout/mcp.json': { link: 'auth.json' },
  });
  const linked = (await prompt({}, operator)).body;
  expect(codesOf(linked)).toEqual(['unreadable']);
  expect(JSON.stringify(linked)).not.toContain('mcp__');
});

test('names the MCP servers of a project only if it is trusted, as pi does', { tags: 'slow' }, async () => {
  const { prompt, operator } = await servePrompts({
    '.pi/mcp.json': JSON.stringify({ mcpServers: { near: { command: 'x', description: 'Near.' } } }),
  });
  expect(codesOf((await prompt()).body)).toEqual(['project_not_trusted']);
  expect((await prompt({ trusted: 'true' }, operator)).body.text).toContain('- mcp__near (codemode): Near.');
  // Others see nothing of a dotfile, not even the names in it.
  const { body } = await prompt({ trusted: 'true' });
  expect(body.text).not.toContain('near');
  expect(codesOf(body)).toEqual(['hidden']);
  expect(body.complete).toBe(false);
  expect(codesOf((await prompt({ piVersion: '0.87' })).body)).toEqual([]);
});

test('knows that a pattern, or a name of an MCP tool, needs no built-in tool', { tags: 'slow' }, async () => {
  const { prompt } = await servePrompts({
    'agents/scout/pi-args': '--tools\nread,mcp__docs__*,read_mcp_resource,g*,codemode,other\n',
  });
  const { body } = await prompt();
  expect(body.tools).toEqual(['read', 'codemode', 'grep']);
  expect(body.notes).toMatchObject([
    { code: 'unknown_tools', message: expect.stringContaining('named other.') },
  ]);
});

test('responds for a hostile pattern of tools and for very many servers', { tags: 'slow' }, async () => {
  const servers = Array.from({ length: 50_000 }, (_, index) => [`s-${index}`, { command: 'x' }]);
  const { prompt } = await servePrompts({
    'agents/scout/pi-args': `--tools\nread,${'*'.repeat(60)}x${'*e'.repeat(60)}\n`,
    ...mcpJson(Object.fromEntries(servers)),
  });
  const { body } = await prompt();
  expect(body.tools).toEqual(['read']);
  expect(codesOf(body)).toEqual(['mcp_unknown']);
  expect(body.text).toMatch(/ more servers; find their tools with searchTools\(\)\n<\/mcp_servers>$/);
});
