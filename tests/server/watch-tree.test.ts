import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { watchTree } from '../../src/server/events/watch-tree.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { makeTempDirectory } from '../support/temp.ts';

const SWAP_LINKS = fileURLToPath(new URL('../support/swap-links.ts', import.meta.url));

/** Watches a root in this thread; `isTold` waits for a path, `paths` are all that were told since `forget`. */
const watchRoot = (root: string) => {
  const paths = new Set<string>();
  let losses = 0;
  const tree = watchTree(root, {
    changed: (path) => paths.add(path),
    lost: () => losses++,
    exhausted: () => expect.unreachable('the system has watches left'),
  });
  onTestFinished(() => tree.close());
  return {
    ...tree,
    paths,
    losses: () => losses,
    told: async (path: string) => {
      await until(() => paths.has(path)).catch(() => expect([...paths]).toContain(path));
    },
  };
};

test('reports paths relative to the root, of the directories that routes show and no others', async () => {
  const root = await makeRoot({
    'agents/scout/skills/own/more/x': '',
    'agents/scout/skills/own/SKILL.md': '',
    'shared/skills/git-summary/more/x': '',
    '.git/HEAD': '',
  });
  const { paths, told } = watchRoot(root);
  for (const path of ['.git/HEAD', 'agents/scout/skills/own/more/x', 'shared/skills/git-summary/more/x']) {
    await writeFile(join(root, path), 'a');
  }
  await writeFile(join(root, 'shared/skills/git-summary/SKILL.md'), 'a');
  await told('shared/skills/git-summary/SKILL.md');
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await told('agents/scout/SYSTEM.md');
  await writeFile(join(root, 'agents/scout/skills/own/SKILL.md'), 'a');
  await told('agents/scout/skills/own/SKILL.md');
  expect([...paths].sort()).toEqual([
    'agents/scout/SYSTEM.md',
    'agents/scout/skills/own/SKILL.md',
    'shared/skills/git-summary/SKILL.md',
  ]);
});

test('reports what pi writes into sessions, in agents and in the workspaces that changed last', async () => {
  const root = await makeRoot({
    'agents/scout/sessions/--work--/a.jsonl': '',
    'agents/scout/other/a.jsonl': '',
    ...Object.fromEntries(
      Array.from({ length: 35 }, (_, i) => [`workspaces/scout/run-${i}/sessions/a.jsonl`, '']),
    ),
  });
  for (let i = 0; i < 35; i++) await utimes(join(root, `workspaces/scout/run-${i}`), 1e9 + i, 1e9 + i);
  const { paths, told } = watchRoot(root);
  for (const path of ['agents/scout/other/a.jsonl', 'workspaces/scout/run-0/sessions/a.jsonl'])
    await writeFile(join(root, path), 'x');
  for (const path of ['agents/scout/sessions/--work--/a.jsonl', 'workspaces/scout/run-34/sessions/a.jsonl']) {
    await writeFile(join(root, path), 'x');
    await told(path);
  }
  // The first run of another agent, which has no workspaces yet.
  await mkdir(join(root, 'workspaces/new/now/sessions'), { recursive: true });
  await told('workspaces/new');
  await writeFile(join(root, 'workspaces/new/now/sessions/a.jsonl'), 'x');
  await told('workspaces/new/now/sessions/a.jsonl');
  expect([...paths].filter((path) => path.startsWith('agents/'))).toEqual([
    'agents/scout/sessions/--work--/a.jsonl',
  ]);
  // macOS and Windows watch the whole tree anyway.
  if (process.platform === 'linux') expect(paths).not.toContain('workspaces/scout/run-0/sessions/a.jsonl');
});

test('reports what changes below an extension, three folders deep, but not in its packages, nor behind links', async () => {
  const outside = await makeTempDirectory();
  const extension = 'shared/extensions/deep';
  const untold = ['node_modules/pkg', '.git', 'src/.cache', 'src/a/b/c', 'src/node_modules'];
  const root = await makeRoot({
    [`${extension}/src/a/b/index.ts`]: '',
    [`${extension}/linked`]: { link: outside },
    ...Object.fromEntries(untold.map((path) => [`${extension}/${path}/x.ts`, ''])),
  });
  const { paths, told } = watchRoot(root);
  for (const path of [...untold, 'linked']) await writeFile(join(root, extension, path, 'x.ts'), 'a');
  for (const path of ['src/index.ts', 'src/a/b/index.ts']) {
    await writeFile(join(root, extension, path), 'a');
    await told(`${extension}/${path}`);
  }
  expect([...paths].sort()).toEqual([`${extension}/src/a/b/index.ts`, `${extension}/src/index.ts`]);
});

test('watches at most 200 directories below one extension, and other extensions as before', {
  tags: 'slow',
}, async () => {
  const folders = Array.from({ length: 220 }, (_, i) => `shared/extensions/wide/d${i}`);
  const root = await makeRoot({
    ...Object.fromEntries(folders.map((path) => [`${path}/x.ts`, ''])),
    'shared/extensions/zoom/src/index.ts': '',
  });
  const { paths, told } = watchRoot(root);
  for (const path of folders) await writeFile(join(root, path, 'x.ts'), 'a');
  await writeFile(join(root, 'shared/extensions/zoom/src/index.ts'), 'a');
  await told('shared/extensions/zoom/src/index.ts');
  expect(folders.filter((path) => paths.has(`${path}/x.ts`))).toHaveLength(200);

  // One that goes makes room for one that comes.
  const [first = ''] = folders.filter((path) => paths.has(`${path}/x.ts`));
  await rm(join(root, first), { recursive: true });
  await told(first);
  await mkdir(join(root, first));
  await until(async () => {
    await writeFile(join(root, first, 'again.ts'), 'a');
    return paths.has(`${first}/again.ts`);
  });
});

test('reports nothing more about an agents folder that was moved away, nor about agents that appeared after the start', async () => {
  const root = await makeRoot();
  const { paths, told } = watchRoot(root);
  await mkdir(join(root, 'agents/late'));
  await told('agents/late');
  await writeFile(join(root, 'agents/late/SYSTEM.md'), 'a');
  await told('agents/late/SYSTEM.md');
  await rename(join(root, 'agents'), join(root, 'old'));
  await mkdir(join(root, 'agents/scout'), { recursive: true });
  await told('agents');
  await until(async () => {
    await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
    return paths.has('agents/scout/SYSTEM.md');
  });
  paths.clear();
  await writeFile(join(root, 'old/late/SYSTEM.md'), 'a');
  await writeFile(join(root, 'old/scout/pi-args'), 'a');
  await writeFile(join(root, 'agents/scout/AGENT.md'), 'a');
  await told('agents/scout/AGENT.md');
  expect([...paths]).not.toContain('agents/late/SYSTEM.md');
  expect([...paths]).not.toContain('agents/scout/pi-args');
});

test.skipIf(process.platform !== 'linux')(
  'lets other work of its thread run while thousands of agents appear at once',
  { tags: 'slow' },
  async () => {
    const root = await makeRoot();
    let turn = 0;
    const turns = new Set<number>();
    const told = new Set<string>();
    const tree = watchTree(root, {
      changed(path) {
        if (!path.endsWith('/SYSTEM.md')) return;
        told.add(path);
        turns.add(turn);
      },
      lost: () => undefined,
      exhausted: () => expect.unreachable('the system has watches left'),
    });
    onTestFinished(() => tree.close());
    // Without a turn of the event loop, so that all events wait.
    for (let i = 0; i < 5_000; i++) {
      mkdirSync(join(root, `agents/new-${i}`));
      writeFileSync(join(root, `agents/new-${i}/SYSTEM.md`), '');
    }
    while (told.size < 5_000) {
      await immediately();
      turn++;
    }
    expect(turns.size).toBeGreaterThan(1);
  },
);

test('does not follow an agent that became a link', async () => {
  const outside = await makeTempDirectory();
  const root = await makeRoot();
  const { paths, told } = watchRoot(root);
  await rm(join(root, 'agents/scout'), { recursive: true });
  await symlink(outside, join(root, 'agents/scout'));
  await told('agents/scout');
  await mkdir(join(root, 'agents/second'));
  await told('agents/second');
  paths.clear();
  await writeFile(join(outside, 'SYSTEM.md'), 'a');
  await writeFile(join(root, 'agents/second/SYSTEM.md'), 'a');
  await told('agents/second/SYSTEM.md');
  expect([...paths]).not.toContain('agents/scout/SYSTEM.md');
});

test('reports teams that appear, and their links', async () => {
  const root = await makeRoot();
  const { told } = watchRoot(root);
  await mkdir(join(root, 'teams/research/skills'), { recursive: true });
  await told('teams');
  await symlink('../../../shared/skills/git-summary', join(root, 'teams/research/skills/git-summary'));
  await told('teams/research/skills/git-summary');
  await rm(join(root, 'teams/research'), { recursive: true });
  await told('teams/research');
});

test('reports the links of teams that were there before the watch', async () => {
  const root = await makeRoot({ 'teams/research/skills/notes.md': '' });
  const { told } = watchRoot(root);
  await symlink('../../../shared/skills/git-summary', join(root, 'teams/research/skills/git-summary'));
  await told('teams/research/skills/git-summary');
});

test('a check notices a root that appeared, disappeared or was replaced, and is quiet otherwise', async () => {
  const root = await makeRoot();
  await rename(root, `${root}-away`);
  const { check, losses, told, paths } = watchRoot(root);
  check();
  expect(losses()).toBe(0);
  await rename(`${root}-away`, root);
  check();
  expect(losses()).toBe(1);
  check();
  expect(losses()).toBe(1);
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await told('agents/scout/SYSTEM.md');

  await rename(root, `${root}-old`);
  await rename(await makeRoot(), root);
  const before = losses();
  check();
  expect(losses()).toBeGreaterThan(before);
  paths.clear();
  await writeFile(join(root, 'agents/scout/pi-args'), 'a');
  await told('agents/scout/pi-args');
  const last = losses();
  await rm(root, { recursive: true });
  check();
  expect(losses()).toBeGreaterThan(last);
});

test('reports nothing once it is closed', async () => {
  const root = await makeRoot();
  const closed = watchRoot(root);
  const open = watchRoot(root);
  closed.close();
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await open.told('agents/scout/SYSTEM.md');
  expect([...closed.paths]).toEqual([]);
});

test('names nothing outside the root while "agents" is swapped for a link', { tags: 'slow' }, async () => {
  const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'x', 'workspaces/scout/run/sessions/a.jsonl': '' });
  const outside = await makeRoot({ 'agents/private': null, 'workspaces/private': null });
  const { paths, told, ...tree } = watchRoot(root);
  const attacker = spawn(process.execPath, [SWAP_LINKS, root, outside, 'agents', 'workspaces'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void attacker.kill('SIGKILL'));
  await once(attacker.stdout, 'data');
  for (let round = 0; round < 300; round++) {
    tree.check();
    await mkdir(join(outside, `agents/private-${round}`));
    await sleep(5);
  }
  await told('agents/scout');
  expect([...paths].filter((path) => path.includes('private'))).toEqual([]);
});
