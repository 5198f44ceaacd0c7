import { execFile } from 'node:child_process';
import { symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { entryRole, opensAsText } from '../../../src/pi/entry-roles.ts';
import { MAX_ENTRIES } from '../../../src/shared/api/entries.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const start = async (root: string) => {
  const { asOperator } = await serve(root);
  return async (id = 'scout') => (await asOperator('GET', `/api/agents/${id}/entries`)).body;
};

test('lists every entry with its kind, size, time and role, and reads no content', async () => {
  const root = await makeRoot({
    'agents/scout/settings.json': '{"defaultModel":"x"}',
    'agents/scout/models.json': '{}',
    'agents/scout/AGENTS.md': '# Rules\n',
    'agents/scout/auth.json': '{"key":"sk-secret"}',
    'agents/scout/pi-debug.log': 'line\n',
    'agents/scout/.env': 'KEY=1\n',
    'agents/scout/sessions/a.jsonl': '{}\n',
    'agents/scout/mcp.json': '{}',
    'agents/scout/notes.txt': 'hello',
  });
  await utimes(join(root, 'agents/scout/notes.txt'), 1_700_000_000, 1_700_000_000);
  const body = await (await start(root))();
  expect(body.isTruncated).toBe(false);
  expect(body.entries.map(({ name, kind, role }: Record<string, string>) => [name, kind, role])).toEqual([
    ['.env', 'file', 'secret'],
    ['AGENTS.md', 'file', 'context_file'],
    ['SYSTEM.md', 'file', 'editable'],
    ['auth.json', 'file', 'secret'],
    ['extensions', 'directory', 'links'],
    ['mcp.json', 'file', 'mcp_servers'],
    ['models.json', 'file', 'providers'],
    ['notes.txt', 'file', 'unknown'],
    ['pi-args', 'file', 'editable'],
    ['pi-debug.log', 'file', 'log'],
    ['sessions', 'directory', 'sessions'],
    ['settings.json', 'file', 'model_settings'],
    ['skills', 'directory', 'links'],
  ]);
  expect(body.entries[7]).toEqual({
    name: 'notes.txt',
    kind: 'file',
    role: 'unknown',
    size: 5,
    modifiedAt: '2023-11-14T22:13:20.000Z',
  });
  expect(JSON.stringify(body)).not.toContain('sk-secret');
});

test('shows where a link in the root points, and nothing of a target outside the root', async () => {
  const outside = join(await makeTempDirectory(), 'private-name');
  await writeFile(outside, 'x');
  const root = await makeRoot({
    'agents/scout/bin': { link: '../../shared/extensions' },
    'agents/scout/gone.md': { link: 'missing.md' },
    'agents/scout/loop': { link: 'loop' },
    'agents/scout/absent': { link: '/nowhere/at/all' },
    'agents/scout/hop': { link: 'out' },
  });
  await symlink(outside, join(root, 'agents/scout/out'));
  const body = await (await start(root))();
  const links = body.entries.filter(({ kind }: { kind: string }) => kind === 'symlink');
  expect(links.map(({ modifiedAt: _, ...link }: Record<string, unknown>) => link)).toEqual([
    { name: 'absent', kind: 'symlink', role: 'unknown', isOutside: true },
    { name: 'bin', kind: 'symlink', role: 'unknown', linkTarget: '../../shared/extensions' },
    { name: 'gone.md', kind: 'symlink', role: 'unknown', linkTarget: 'missing.md', broken: true },
    { name: 'hop', kind: 'symlink', role: 'unknown', isOutside: true },
    { name: 'loop', kind: 'symlink', role: 'unknown', linkTarget: 'loop', broken: true },
    { name: 'out', kind: 'symlink', role: 'unknown', isOutside: true },
  ]);
  expect(JSON.stringify(body)).not.toContain('private-name');
});

test('caps a directory of 100,000 entries, says so, and still lists what pi knows by name', async () => {
  const root = await makeRoot({ 'agents/scout/models.json': '{}', 'agents/scout/auth.json': '{}' });
  // One process makes them in a second. 100,000 calls of writeFile take ten.
  await promisify(execFile)(
    process.execPath,
    ['-e', 'for (let i = 0; i < 1e5; i++) require("node:fs").writeFileSync("n" + i, "")'],
    { cwd: join(root, 'agents/scout') },
  );
  const body = await (await start(root))();
  expect(body.isTruncated).toBe(true);
  expect(body.entries.length).toBeLessThanOrEqual(MAX_ENTRIES + 10);
  const names = body.entries.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['SYSTEM.md', 'auth.json', 'models.json', 'pi-args', 'skills']),
  );
});

test('refuses what is not an agent', async () => {
  const root = await makeRoot({ 'agents/linked': { link: 'scout' } });
  const entries = await start(root);
  expect((await entries('nobody')).code).toBe('agent_not_found');
  expect((await entries('linked')).code).toBe('agent_not_found');
  expect((await entries('-x')).code).toBe('invalid_agent_id');
});

test('only plain text opens in a program: never a secret, nor what the system could run', () => {
  const opened = ['AGENTS.md', 'settings.json', 'run.log', 'notes.TXT'];
  const refused = [
    'auth.json',
    'mcp-auth.json',
    'MCP-Auth.json',
    '.env',
    'x.sh',
    'x.desktop',
    'x.js',
    'x.html',
    'x.md.exe',
    'x',
    'x.command',
  ];
  expect(opened.filter(opensAsText)).toEqual(opened);
  expect(refused.filter(opensAsText)).toEqual([]);
  const roles = ['AUTH.json', 'MCP-AUTH.json', '.ENV', '.env.local', 'id.pem'].map(entryRole);
  expect(new Set(roles)).toEqual(new Set(['secret']));
  expect(['mcp.log', 'mcp.log.1', 'mcp.logic'].map(entryRole)).toEqual(['log', 'log', 'unknown']);
});
