import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { copyBeside, removeLeftoverCopies } from '../../src/server/agents/copy-agent.ts';
import { hostLinks } from '../../src/server/platform/create-link.ts';
import { openDirectory, withDirectory } from '../../src/server/platform/directory-handle.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const start = async (root: string) => {
  const { asOperator: call } = await serve(root);
  return {
    call,
    duplicate: (id: string, name: unknown) => call('POST', `/api/agents/${id}/duplicate`, { name }),
  };
};

test('copies bytes, modes and the text of links, and follows none of them', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'secret'), 'secret');
  const bytes = new Uint8Array(300_000).map((_, i) => (i * 7) % 256);
  const root = await makeRoot({
    'agents/scout/notes/deep/data.bin': bytes,
    'agents/scout/run.sh': { script: '#!/bin/sh\n' },
    'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
    'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    'agents/scout/secret': { link: join(outside, 'secret') },
    'agents/scout/outside': { link: outside },
    'agents/scout/circle': { link: 'circle' },
  });
  const agent = (path: string) => join(root, 'agents', path);
  await chmod(agent('scout/notes'), 0o555);
  await chmod(agent('scout/SYSTEM.md'), 0o640);
  await chmod(agent('scout'), 0o750);
  execFileSync('mkfifo', [agent('scout/pipe')]);

  const { call, duplicate } = await start(root);
  const { status, body, headers } = await duplicate('scout', 'ranger');
  expect([status, body, headers.get('location')]).toEqual([
    201,
    { ok: true, id: 'ranger', leftOut: [] },
    '/api/agents/ranger',
  ]);

  expect(new Uint8Array(await readFile(agent('ranger/notes/deep/data.bin')))).toEqual(bytes);
  for (const path of ['', 'notes', 'notes/deep', 'SYSTEM.md', 'run.sh', 'pi-args', 'skills']) {
    const [from, to] = await Promise.all([stat(agent(`scout/${path}`)), stat(agent(`ranger/${path}`))]);
    expect([path, to.mode]).toEqual([path, from.mode]);
  }
  for (const path of ['skills/git-summary', 'skills/gone', 'secret', 'outside', 'circle']) {
    expect([path, await readlink(agent(`ranger/${path}`))]).toEqual([
      path,
      await readlink(agent(`scout/${path}`)),
    ]);
  }
  await expect(lstat(agent('ranger/pipe'))).rejects.toThrow();
  expect((await readdir(join(root, 'agents'))).sort()).toEqual(['ranger', 'scout']);
  const links = await call('GET', '/api/agents/ranger/links/skills');
  expect(links.body.entries[0]).toMatchObject({ name: 'git-summary', linksToShared: true });
  await chmod(agent('scout/notes'), 0o755);
  await chmod(agent('ranger/notes'), 0o755);
});

test('leaves out secrets and the leftovers of runs, and nothing else', async () => {
  const root = await makeRoot({
    'agents/scout/sessions/--work--/a.jsonl': '{}',
    'agents/scout/auth.json': 'secret',
    'agents/scout/mcp-auth.json': 'secret',
    'agents/scout/mcp.log': 'log',
    'agents/scout/mcp.log.1': 'log',
    'agents/scout/trust.json': '{}',
    'agents/scout/crashes.json': '[]',
    'agents/scout/pi-debug.log': 'log',
    'agents/scout/tmp/x': 'x',
    'agents/scout/npm/x': 'x',
    'agents/scout/git': { link: '../../elsewhere' },
    // Copied: only the entries of the agent's own directory count.
    'agents/scout/notes/auth.json': 'an example',
    'agents/scout/mcp.json': '{}',
    'agents/scout/notes/sessions/x': 'x',
    'agents/scout/skills/git/SKILL.md': 'x',
    'agents/scout/settings.json': '{}',
    'agents/scout/logbook': 'x',
    'agents/scout/prompts/x.md': 'x',
  });
  const { duplicate } = await start(root);
  const { body } = await duplicate('scout', 'ranger');
  expect(body.leftOut).toEqual([
    'auth.json',
    'crashes.json',
    'git',
    'mcp-auth.json',
    'mcp.log',
    'mcp.log.1',
    'npm',
    'pi-debug.log',
    'sessions',
    'tmp',
    'trust.json',
  ]);
  const inAgent = async (id: string) => (await readdir(join(root, 'agents', id), { recursive: true })).sort();
  const kept = (await inAgent('scout')).filter((path) => !body.leftOut.includes(path.split(sep)[0]));
  expect(kept).toContain(join('notes', 'sessions', 'x'));
  expect(await inAgent('ranger')).toEqual(kept);
});

test('refuses a name that is taken or impossible, and anything that isn’t an agent', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({
    'agents/taken/SYSTEM.md': 't',
    'agents/file': 'f',
    'agents/link': { link: 'x' },
  });
  const { duplicate } = await start(root);
  for (const [id, name, status, code] of [
    ['scout', 'taken', 409, 'agent_exists'],
    ['scout', 'file', 409, 'agent_exists'],
    ['scout', 'link', 409, 'agent_exists'],
    ['scout', 'scout', 409, 'agent_exists'],
    ['scout', 'a..b', 400, 'invalid_agent_id'],
    ['..%2fscout', 'new', 400, 'invalid_agent_id'],
    ['scout', 5, 400, 'invalid_request'],
    ['nobody', 'new', 404, 'agent_not_found'],
    ['nobody', 'nobody', 404, 'agent_not_found'],
    ['link', 'new', 404, 'agent_not_found'],
  ] as const) {
    const answer = await duplicate(id, name);
    expect([id, name, answer.status, answer.body.code]).toEqual([id, name, status, code]);
  }
  expect((await readdir(join(root, 'agents'))).sort()).toEqual(['file', 'link', 'scout', 'taken']);
  expect(await readFile(join(root, 'agents/taken/SYSTEM.md'), 'utf8')).toBe('t');
});

test('of many simultaneous requests for one name, one gets it, and copies in opposite directions do not block each other', async () => {
  const root = await makeRoot({ 'agents/other/SYSTEM.md': 'o' });
  const { duplicate } = await start(root);
  const answers = await Promise.all(Array.from({ length: 10 }, () => duplicate('scout', 'copy')));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  const crosswise = await Promise.all([duplicate('scout', 'other'), duplicate('other', 'scout')]);
  expect(crosswise.map(({ status }) => status)).toEqual([409, 409]);
});

test('a partial copy is never visible, neither in the list nor under its name', {
  tags: 'slow',
}, async () => {
  // Enough that the copy takes longer than some lists, also on a busy machine.
  const notes = 2_000;
  const root = await makeRoot(
    Object.fromEntries(Array.from({ length: notes }, (_, i) => [`agents/scout/notes/${i}`, `note ${i}`])),
  );
  const { call, duplicate } = await start(root);
  let isDone = false;
  const copying = duplicate('scout', 'ranger').finally(() => {
    isDone = true;
  });
  const seen = new Set<number>();
  let listings = 0;
  while (!isDone) {
    const { agents } = (await call('GET', '/api/agents')).body;
    listings++;
    expect(['scout', 'ranger,scout']).toContain(agents.map(({ id }: { id: string }) => id).join());
    seen.add(
      await readdir(join(root, 'agents/ranger/notes')).then(
        (names) => names.length,
        () => 0,
      ),
    );
  }
  expect((await copying).status).toBe(201);
  expect(listings).toBeGreaterThan(1);
  expect([...seen].filter((count) => count !== 0 && count !== notes)).toEqual([]);
});

test('a copy that fails leaves nothing, read-only directories included', async () => {
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'from/a'), { recursive: true });
  await writeFile(join(directory, 'from/a/file'), 'x');
  await chmod(join(directory, 'from/a'), 0o500);
  await mkdir(join(directory, 'to'));
  await writeFile(join(directory, 'to/kept'), 'kept');
  await expect(
    withDirectory(openDirectory(directory), (opened) =>
      copyBeside(opened, 'from', 'to', { path: join(directory, 'to'), linkSystem: hostLinks }),
    ),
  ).rejects.toThrow(/ENOTEMPTY|EEXIST/);
  expect(await readdir(directory)).toEqual(['from', 'to']);
  expect(await readdir(join(directory, 'to'))).toEqual(['kept']);
  await chmod(join(directory, 'from/a'), 0o700);
});

test('partial copies that a crash left are removed, and those of a running process stay', async () => {
  const directory = await makeTempDirectory();
  const gone = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim();
  const names = [
    `.new.${gone}-0123456789abcdef.copy`,
    `.new.${process.ppid}-0123456789abcdef.copy`,
    '.new.x.copy',
    'scout',
  ];
  for (const name of names) await mkdir(join(directory, name, 'skills'), { recursive: true });
  await chmod(join(directory, names[0] ?? '', 'skills'), 0o500);
  await withDirectory(openDirectory(directory), removeLeftoverCopies);
  expect((await readdir(directory)).sort()).toEqual(names.slice(1).sort());
});

test('the server removes partial copies after its start', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const gone = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim();
  const left = join(root, 'agents', `.new.${gone}-0123456789abcdef.copy`);
  await mkdir(left);
  await serve(root);
  await until(async () => !(await readdir(join(root, 'agents'))).some((name) => name.endsWith('.copy')));
  await rm(left, { recursive: true, force: true });
});
