import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, lchown, lstat, readdir, readFile, readlink, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { STARTER_ROOT } from '../resources/support.ts';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';
import { plant, type Tree } from '../support/plant.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeSession } from '../support/session-file.ts';
import { makeTempDirectory } from '../support/temp.ts';

// Another user of the machine may write in a shared root, and swaps its directories for links to a private
// directory of the server's user. Every route that changes the root runs meanwhile. The tests own the root; the
// server and the attacker run as two others.
//
// ATTACK_SECONDS=60 attacks each route for that long. ATTACK_ONLY=links attacks the routes of one group.
// ATTACK_WITHOUT_PROC=1 takes the way of systems where an open directory has no path. That way compares device
// and inode right before each change, which leaves the time of one system call. So it can't promise what this
// test expects: an attack of many seconds can get through, and the run only shows how rarely.

const ATTACKER = 12_345;
/** At least this many rounds, and until each route has succeeded once. */
const ROUNDS = 5;
const MOST_ROUNDS = 2_000;
const seconds = Number(process.env.ATTACK_SECONDS ?? 0);
const without = process.env.ATTACK_WITHOUT_PROC === '1';

const SWAP_LINKS = fileURLToPath(new URL('../support/swap-links.ts', import.meta.url));
const WITHOUT_PROC = fileURLToPath(new URL('../support/without-proc.cjs', import.meta.url));

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test inspects any answer
  readonly body: any;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Routes that are attacked together. */
interface Group {
  readonly name: string;
  /** Default: {@link ROUNDS}. */
  readonly rounds?: number;
  /** What the attacker swaps, in turn. */
  readonly paths: readonly string[];
  /** Calls each route once. `count` takes the name of a route and its answer, and returns that. */
  round(call: Call, count: (route: string, answer: Answer) => Answer, round: number): Promise<void>;
  /** Each must succeed at least once, or the attack proves nothing. */
  readonly routes: readonly string[];
}

/** A directory and all below it. No link is followed. */
const everythingIn = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const below = entries.map((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? everythingIn(path) : [path];
  });
  return [directory, ...(await Promise.all(below)).flat()];
};

/** What a directory holds, by path: type, mode, times of the last changes, and content. */
const snapshotOf = async (directory: string): Promise<Record<string, string>> => {
  const snapshot: Record<string, string> = {};
  for (const path of await everythingIn(directory)) {
    const stats = await lstat(path);
    const content = stats.isFile()
      ? await readFile(path, 'utf8')
      : stats.isSymbolicLink()
        ? await readlink(path)
        : '';
    snapshot[path] = [stats.mode.toString(8), stats.mtimeMs, stats.ctimeMs, stats.nlink, content].join(' ');
  }
  return snapshot;
};

/** What changed between two snapshots. */
const changesOf = (before: Record<string, string>, after: Record<string, string>): string[] => [
  ...Object.keys(before).flatMap((path) =>
    after[path] === undefined ? [`deleted ${path}`] : after[path] === before[path] ? [] : [`changed ${path}`],
  ),
  ...Object.keys(after).flatMap((path) => (before[path] === undefined ? [`created ${path}`] : [])),
];

/** Several, because one whose entry in the trash the attacker has moved away can't be restored any more. */
const sessions = Array.from({ length: 20 }, () => {
  const session = makeSession();
  session.call({ input: 10 });
  return session;
});
const SESSIONS = 'agents/scout/sessions/--work--';
const BROKEN = { link: '../../../shared/skills/gone' };
const LINKED = { link: '../../../shared/skills/git-summary' };

/** The private directory has what the server looks for by name, wherever a link is put. */
const OUTSIDE: Tree = {
  'agents/scout/SYSTEM.md': 'not for you',
  'agents/scout/pi-args': 'not for you',
  // What a crash leaves, for the cleanup of a save.
  'agents/scout/.SYSTEM.md.999999-0123456789abcdef.tmp': 'not for you',
  'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  'agents/scout/extensions/old.ts': { link: '../../../shared/extensions/gone.ts' },
  'agents/scout/skills/git-summary': LINKED,
  'agents/scout/skills/old': BROKEN,
  'agents/copy/SYSTEM.md': 'not for you',
  ...Object.fromEntries(sessions.map(({ fileName }) => [`${SESSIONS}/${fileName}`, 'not for you'])),
  [`${SESSIONS}/other.jsonl`]: 'not for you',
  'shared/extensions/say.ts': 'not for you',
  'shared/skills/dot-mi/SKILL.md': 'not for you',
  'shared/skills/dot-mi/references/letter': 'not for you',
  'shared/skills/git-summary/SKILL.md': 'not for you',
  'shared/presets/mine.json': '{"skills":[],"extensions":[]}',
  'shared/presets/.mine.json.999999-0123456789abcdef.tmp': 'not for you',
  '.trash/*/entry.json': JSON.stringify({ id: 'scout', deletedAt: new Date().toISOString() }),
  '.trash/*/agent/SYSTEM.md': 'not for you',
  '.trash/*/session.jsonl': 'not for you',
  '.trash/*/preset.json': '{"skills":[],"extensions":[]}',
  'folder/agents/letter': 'not for you',
  'folder/shared/skills/letter': 'not for you',
  'folder/*/setup.sh': 'not for you',
  'folder/*/agents/letter': 'not for you',
  'folder/*/shared/skills/letter': 'not for you',
};

const groups = (root: string): Group[] => [
  {
    name: 'skill',
    paths: ['shared/skills', 'shared', 'shared/skills/dot-mi', 'shared/skills'],
    routes: ['install', 'shared files', 'uninstall'],
    async round(call, count) {
      count('install', await call('POST', '/api/catalog/skills/dot-mi/install'));
      const shared = { kind: 'skills', name: 'git-summary' };
      const items = [
        { shared, file: 'SKILL.md', content: 'ours' },
        { shared: { kind: 'extensions', name: 'say.ts' }, content: null },
        { shared: { kind: 'extensions', name: 'say.ts' }, content: 'ours' },
      ];
      count('shared files', await call('POST', '/api/changes', { label: 'x', items }));
      count('uninstall', await call('DELETE', '/api/catalog/skills/dot-mi/install'));
    },
  },
  {
    name: 'links',
    paths: ['agents/scout/skills', 'agents/scout/extensions', 'agents/scout', 'agents'],
    routes: ['link', 'unlink', 'unlink undo', 'repair', 'bulk', 'undo', 'apply'],
    async round(call, count) {
      const skills = '/api/agents/scout/links/skills';
      const removed = count('unlink', await call('DELETE', `${skills}/git-summary`));
      const undo = ({ headers }: Answer) => call('POST', `/api/changes/${headers.get('change-id')}/undo`);
      if (removed.headers.has('change-id')) count('unlink undo', await undo(removed));
      count('unlink', await call('DELETE', `${skills}/git-summary`));
      count('link', await call('POST', skills, { name: 'git-summary' }));
      count('link', await call('POST', '/api/agents/scout/links/extensions', { name: 'say.ts' }));
      const both = [
        { agent: 'scout', kind: 'skills', names: ['git-summary', 'old'] },
        { agent: 'scout', kind: 'extensions', names: ['say.ts', 'old.ts'] },
      ];
      for (const change of [
        { unlink: both, link: [] },
        { unlink: [], link: both, replaceBroken: true },
      ]) {
        const { body } = count('bulk', await call('POST', '/api/links/bulk', change));
        if (body.undo) count('undo', await call('POST', `/api/changes/${body.undo}/undo`));
      }
      await call('DELETE', `${skills}/git-summary`);
      await plant(root, { 'agents/scout/skills/git-summary': BROKEN }).catch(() => undefined);
      count('repair', await call('POST', skills, { name: 'git-summary', replaceBroken: true }));
      const apply = { agents: ['scout'], unlinkOthers: true };
      count('apply', await call('POST', '/api/presets/empty/apply', apply));
      count('apply', await call('POST', '/api/presets/full/apply', apply));
    },
  },
  {
    name: 'files',
    paths: ['agents/scout', 'agents'],
    routes: ['write', 'create', 'mcp', 'undo', 'settings', 'models'],
    async round(call, count, round) {
      const write = (path: string) =>
        call('PUT', '/api/agents/scout/file', { path, content: `round ${round}` });
      count('write', await write('SYSTEM.md'));
      count('create', await write('APPEND_SYSTEM.md'));
      await unlink(join(root, 'agents/scout/APPEND_SYSTEM.md')).catch(() => undefined);
      const edit = async (json: string, path: string[], value: unknown) => {
        const items = [{ agent: 'scout', json, edits: [{ path, value }] }];
        const answer = await call('POST', '/api/changes', { label: 'x', items });
        return { ...answer, status: answer.body.applied > 0 ? answer.status : 409 };
      };
      const mcp = await edit('mcp.json', ['mcpServers', 'docs'], { command: `round ${round}` });
      count('mcp', mcp);
      const made = mcp.headers.get('change-id');
      if (made) count('undo', await call('POST', `/api/changes/${made}/undo`));
      count('settings', await edit('settings.json', ['theme'], `round ${round}`));
      const provider = { baseUrl: `http://round-${round}` };
      count('models', await edit('models.json', ['providers', 'x'], provider));
    },
  },
  {
    name: 'presets',
    paths: ['shared/presets', 'shared', '.trash/*', '.trash'],
    routes: ['write', 'rename', 'delete', 'restore'],
    async round(call, count) {
      const preset = { skills: ['git-summary'], extensions: [] };
      count('write', await call('PUT', '/api/presets/mine', preset));
      count('rename', await call('POST', '/api/presets/mine/rename', { name: 'other' }));
      for (const name of ['mine', 'other']) {
        count('delete', await call('DELETE', `/api/presets/${name}`));
        count('restore', await call('POST', `/api/presets/${name}/restore`));
        count('delete', await call('DELETE', `/api/presets/${name}`));
      }
    },
  },
  {
    name: 'agents',
    paths: ['.trash/*', '.trash', 'agents/copy', 'agents'],
    routes: ['duplicate', 'delete', 'restore', 'purge'],
    async round(call, count) {
      count('duplicate', await call('POST', '/api/agents/scout/duplicate', { name: 'copy' }));
      count('delete', await call('DELETE', '/api/agents/copy', { confirm: 'copy' }));
      const { body } = await call('GET', '/api/trash');
      for (const { entry, id } of body.entries ?? [])
        if (id === 'copy') count('restore', await call('POST', `/api/trash/${entry}/restore`));
      count('delete', await call('DELETE', '/api/agents/copy', { confirm: 'copy' }));
      for (const { entry } of (await call('GET', '/api/trash')).body.entries ?? [])
        count('purge', await call('DELETE', `/api/trash/${entry}`));
    },
  },
  {
    name: 'sessions',
    paths: [SESSIONS, dirname(SESSIONS), '.trash/*', '.trash', 'agents/scout'],
    routes: ['delete', 'restore'],
    async round(call, count, round) {
      const id = sessions[round % sessions.length]?.id;
      count('delete', await call('DELETE', `/api/sessions/${id}`));
      for (const { entry, session: kept } of (await call('GET', '/api/trash')).body.entries ?? [])
        if (kept) count('restore', await call('POST', `/api/trash/${entry}/restore`));
    },
  },
  {
    name: 'setup',
    // Each copies the whole starter root.
    rounds: 2,
    paths: ['folder/*', 'folder/agents', 'folder/shared', 'folder/*'],
    routes: ['setup'],
    async round(call, count) {
      count('setup', await call('POST', '/api/root/setup', { path: join(root, 'folder') }));
      // As root, this process may remove what the server made.
      for (const name of await readdir(join(root, 'folder')).catch(() => [] as string[]))
        await rename(join(root, 'folder', name), join(await makeTempDirectory(), name)).catch(
          () => undefined,
        );
    },
  },
];

/** Undoes a swap in which the attacker was stopped. It isn't running any more. */
const putBack = async (directory: string): Promise<void> => {
  const paths = await everythingIn(directory);
  for (const path of paths.filter((found) => found.endsWith('.lost')))
    await rm(path, { recursive: true, force: true });
  for (const aside of paths.filter((found) => found.endsWith('.real'))) {
    const path = aside.slice(0, -'.real'.length);
    await rm(path, { recursive: true, force: true });
    await rename(aside, path).catch(() => undefined);
  }
};

const attack = async (root: string, outside: string, paths: readonly string[]): Promise<ChildProcess> => {
  const attacker = spawn(process.execPath, [SWAP_LINKS, root, outside, ...paths], {
    uid: ATTACKER,
    gid: ATTACKER,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void attacker.kill('SIGKILL'));
  await new Promise((resolve) => attacker.stdout?.once('data', resolve));
  return attacker;
};

const endOf = async (child: ChildProcess): Promise<void> => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
};

test('no route that changes the root writes, creates, deletes or changes anything outside while another user swaps its directories for links', {
  timeout: 600_000 + seconds * 10_000,
}, async ({ skip }) => {
  const why = process.getuid?.() === 0 ? noUnprivilegedUser() : 'a second user needs root';
  skip(why !== undefined, why);

  const outside = join(await makeTempDirectory(), 'private');
  await plant(outside, OUTSIDE);
  await chmod(dirname(outside), 0o755);
  await giveToUnprivilegedUser(await everythingIn(outside));
  // Only the server's user may read it.
  await chmod(outside, 0o700);
  const before = await snapshotOf(outside);

  const root = await makeRoot({
    'agents/scout/skills/git-summary': LINKED,
    ...Object.fromEntries(sessions.map((session) => [`${SESSIONS}/${session.fileName}`, session.text()])),
    'shared/presets/empty.json': '{"skills":[],"extensions":[]}',
    'shared/presets/full.json': '{"skills":["git-summary"],"extensions":["say.ts"]}',
    '.trash/.gitignore': '*\n',
    folder: null,
  });
  await cp(join(STARTER_ROOT, 'shared/skills/dot-mi'), join(root, 'shared/skills/dot-mi'), {
    recursive: true,
  });
  const data = await makeTempDirectory();
  await giveToUnprivilegedUser([data]);
  await chmod(dirname(root), 0o755);
  for (const path of await everythingIn(root)) {
    if ((await lstat(path)).isDirectory()) await chmod(path, 0o777);
    await lchown(path, ATTACKER, ATTACKER);
  }
  const environment = {
    DOT_MI_ROOT: root,
    ...(without ? { NODE_OPTIONS: `--require=${WITHOUT_PROC}` } : {}),
  };
  const { url } = await startServerProcess(environment, data, unprivilegedUser);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  const call: Call = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  for (const { id } of sessions)
    await until(async () => (await call('GET', `/api/sessions/${id}`)).status === 200);

  for (const { name, paths, round, routes, rounds: atLeast = ROUNDS } of groups(root)) {
    if (process.env.ATTACK_ONLY !== undefined && process.env.ATTACK_ONLY !== name) continue;
    const succeeded: Record<string, number> = {};
    const count = (route: string, answer: Answer) => {
      if (answer.status < 300) succeeded[route] = (succeeded[route] ?? 0) + 1;
      return answer;
    };
    const attacker = await attack(root, outside, paths);
    const startedAtMs = Date.now();
    const endsAtMs = startedAtMs + seconds * 1000;
    let rounds = 0;
    const goesOn = () =>
      rounds < atLeast ||
      Date.now() < endsAtMs ||
      (rounds < MOST_ROUNDS && routes.some((route) => !succeeded[route]));
    while (goesOn()) await round(call, count, rounds++);
    await endOf(attacker);
    await putBack(root);
    if (seconds > 0)
      process.stdout.write(
        `${name}: ${rounds} rounds in ${Date.now() - startedAtMs} ms, ${JSON.stringify(succeeded)}\n`,
      );
    expect([name, rounds, changesOf(before, await snapshotOf(outside))]).toEqual([name, rounds, []]);
    for (const route of routes)
      expect([name, route, succeeded[route] ?? 0]).toEqual([name, route, expect.toSatisfy((n) => n > 0)]);
    const kept = await Promise.all(
      (await everythingIn(root)).map(async (path) =>
        (await lstat(path)).isFile() ? [path, await readFile(path, 'utf8')] : [path, ''],
      ),
    );
    expect(kept.filter(([, text]) => text?.includes('not for you'))).toEqual([]);
  }
});
