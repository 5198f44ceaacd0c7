import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Change, ChangeDetail, ChangeResult } from '../../../src/shared/api/changes.ts';
import { makeRoot } from '../../support/root.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** How many change sets, and after how many the server is killed. `npm run edits -- --changes` runs the long form. */
const SETS = Number(process.env.CHANGE_SETS ?? 120);
const SETS_PER_KILL = 30;

/** So many that no file has more versions than the history keeps. */
const BUSY = Math.ceil(SETS / 25);
const range = (prefix: string, length: number) => Array.from({ length }, (_, at) => `${prefix}-${at}`);
const AGENTS = ['scout', ...range('agent', Math.max(BUSY, Number(process.env.CHANGE_AGENTS ?? 0)))];
/** Most changes are to these, so that they meet. */
const BUSY_AGENTS = AGENTS.slice(0, BUSY + 1);
/** Agents that several sets change at the same time. Their order isn’t that of the entries. */
const CROWDED = ['crowded-1', 'crowded-2'];
const FILES = ['SYSTEM.md', 'APPEND_SYSTEM.md', 'AGENT.md'];
const SKILLS = ['git-summary', 'a', 'b'];
/** Shared skills whose files change. */
const CHANGED_SKILLS = range('skill', BUSY);
const SKILL_FILES = ['SKILL.md', 'references/api.md'];

/** Random numbers that are the same in each run (mulberry32). */
const makeRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

test('random change sets, edits of another process and kills: every version can be restored, undo is exact, no update is lost unseen, and no file is damaged', async () => {
  const random = makeRandom(Number(process.env.CHANGE_SEED ?? 1));
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const root = await makeRoot({
    ...Object.fromEntries(
      [...AGENTS.slice(1), ...CROWDED].map((id) => [`agents/${id}/SYSTEM.md`, 'An agent.\n']),
    ),
    ...Object.fromEntries(
      ['a', 'b', ...CHANGED_SKILLS].map((name) => [`shared/skills/${name}/SKILL.md`, 'A skill.\n']),
    ),
  });
  const data = await makeTempDirectory();
  const startAgain = (): Promise<ServerProcess> =>
    startServerProcess({ DOT_MI_ROOT: root, LOG_LEVEL: 'silent' }, data);
  let server = await startAgain();
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    expect([path, response.status, answer.error]).toEqual([path, 200, undefined]);
    return answer as T;
  };

  /** All texts that anybody wrote, or tried to. */
  const known = new Set<string>(['You are a scout.\n', 'An agent.\n', 'A skill.\n']);
  /** Texts that were certainly on disk: of dot-mi, and of another program until it replaced them itself. */
  const written = new Set<string>();
  /** What another program did last to a path: its text, or undefined for a removal or a link. Nobody has looked since. */
  const unseen = new Map<string, string | undefined>();
  let count = 0;
  const newText = (by: string) => {
    const text = `${by} ${count++}\r\n${'é'.repeat(random(3_000))}`;
    known.add(text);
    return text;
  };
  const pickAgent = () => pick(random(4) === 0 ? AGENTS : BUSY_AGENTS);
  const makeItem = (agent = pickAgent()) => {
    if (random(3) === 0)
      return { agent, link: { kind: 'skills', name: pick(SKILLS) }, to: random(2) === 0 ? 'shared' : null };
    const content = random(6) === 0 ? null : newText('dot-mi');
    if (random(4) > 0 || CROWDED.includes(agent)) return { agent, file: pick(FILES), content };
    return { shared: { kind: 'skills', name: pick(CHANGED_SKILLS) }, file: pick(SKILL_FILES), content };
  };
  const pathOf = (item: ReturnType<typeof makeItem>): string => {
    if ('shared' in item) return `shared/skills/${item.shared.name}/${item.file}`;
    return `agents/${item.agent}/${'file' in item ? item.file : `skills/${item.link.name}`}`;
  };
  const stateAt = async (path: string): Promise<string | undefined> => {
    const full = join(root, path);
    return readlink(full).catch(() => readFile(full, 'utf8').catch(() => undefined));
  };
  /** Edits by another program: of a file's text, of a file as such, or of a link. */
  const editByAnother = async () => {
    const agent = pickAgent();
    if (random(3) === 0) {
      const name = pick(SKILLS);
      const path = `agents/${agent}/skills/${name}`;
      await mkdir(join(root, dirname(path)), { recursive: true });
      unseen.set(path, undefined);
      return (await stateAt(path)) === undefined
        ? symlink(`../../../shared/skills/${name}`, join(root, path))
        : rm(join(root, path));
    }
    const path =
      random(3) === 0
        ? `shared/skills/${pick(CHANGED_SKILLS)}/${pick(SKILL_FILES)}`
        : `agents/${agent}/${pick(FILES)}`;
    // dot-mi can’t know a version that was replaced before it looked.
    written.delete(unseen.get(path) ?? '');
    unseen.set(path, undefined);
    if (random(4) === 0) return rm(join(root, path), { force: true });
    const text = newText('another program');
    written.add(text);
    unseen.set(path, text);
    await mkdir(dirname(join(root, path)), { recursive: true });
    return writeFile(join(root, path), text);
  };
  const checkFiles = async () => {
    for (const skill of CHANGED_SKILLS)
      for (const file of SKILL_FILES) {
        const text = await stateAt(`shared/skills/${skill}/${file}`);
        if (text !== undefined) expect(known.has(text)).toBe(true);
      }
    for (const agent of [...AGENTS, ...CROWDED]) {
      for (const file of FILES) {
        const text = await stateAt(`agents/${agent}/${file}`);
        // Each is a whole version.
        if (text !== undefined) expect(known.has(text)).toBe(true);
      }
      for (const name of await readdir(join(root, 'agents', agent, 'skills')).catch(() => []))
        expect(await stateAt(`agents/${agent}/skills/${name}`)).toBe(`../../../shared/skills/${name}`);
    }
  };
  const list = async (): Promise<Change[]> => {
    const all: Change[] = [];
    for (let cursor = ''; ; ) {
      const page = await call<{ changes: Change[]; nextCursor?: string }>(
        'GET',
        `/api/changes?limit=200${cursor}`,
      );
      all.push(...page.changes);
      if (page.nextCursor === undefined) return all;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  /** Undoes a change, and checks that each of its paths has its earlier state, or else the one that it had. */
  const undoExactly = async (id: string): Promise<ChangeResult> => {
    const { paths } = await call<ChangeDetail>('GET', `/api/changes/${id}`);
    const before = new Map<string, string | undefined>();
    for (const { path } of paths) before.set(path, await stateAt(path));
    const result = await call<ChangeResult>('POST', `/api/changes/${id}/undo`);
    const refused = new Set(result.refused.map(({ path }) => path));
    for (const path of new Set(paths.map((each) => each.path))) {
      const first = paths.find((each) => each.path === path && each.state === 'applied');
      const now = await stateAt(path);
      if (!first) expect(now).toBe(before.get(path));
      else if (!refused.has(path)) expect([path, now]).toEqual([path, first.before.text]);
    }
    return result;
  };

  /** Returns what the history has of a path, oldest first, for a person who looks for what went wrong. */
  const historyOf = async (path: string, all: readonly Change[], at: string): Promise<string> => {
    const lines: string[] = [];
    for (const change of all.toReversed()) {
      const { paths } = await call<ChangeDetail>('GET', `/api/changes/${change.id}`);
      for (const { path: own, state, before, after } of paths)
        if (own === path)
          lines.push(
            [
              change.id === at ? '>' : ' ',
              change.at,
              change.by.kind,
              change.label,
              state,
              ...[before, after].map(({ is, text }) => `${is} ${text?.split('\r')[0] ?? ''}`),
            ].join(' | '),
          );
    }
    return lines.join('\n');
  };

  // The first look at an agent takes what is there as it is.
  const firstStates = new Map<string, string | undefined>();
  const lookAtAll = async () => {
    for (const agent of AGENTS) await call('GET', `/api/changes?agent=${agent}&limit=1`);
    for (const name of CHANGED_SKILLS) await call('GET', `/api/changes?shared=skills/${name}&limit=1`);
  };
  await lookAtAll();
  const paths = [
    ...AGENTS.flatMap((agent) => FILES.map((file) => `agents/${agent}/${file}`)),
    ...CHANGED_SKILLS.flatMap((name) => SKILL_FILES.map((file) => `shared/skills/${name}/${file}`)),
  ];
  for (const path of paths) firstStates.set(path, await stateAt(path));

  for (let done = 0; done < SETS; ) {
    const killAt = SETS_PER_KILL / 2 + random(SETS_PER_KILL);
    for (let since = 0; since < killAt; since++, done++) {
      const items = Array.from({ length: 1 + random(6) }, () => makeItem());
      const result = await call<ChangeResult>('POST', '/api/changes', { label: `Set ${done}`, items });
      for (const [index, item] of items.entries()) {
        if ('file' in item) unseen.delete(pathOf(item));
        const isRefused = result.refused.some((each) => each.index === index);
        if (!isRefused && 'content' in item && item.content) written.add(item.content);
      }
      if (random(3) === 0) await editByAnother();
      if (random(4) === 0) {
        const [latest] = (await call<{ changes: Change[] }>('GET', '/api/changes?limit=5')).changes.slice(
          random(5),
        );
        if (latest) await undoExactly(latest.id);
      }
    }
    // A set of several agents compares without their locks, and can record an edit by another program after itself.
    for (const path of unseen.keys()) {
      const [top, agent, file = '', name = '', ...more] = path.split('/');
      const to = (await stateAt(path)) === undefined ? 'shared' : null;
      const item =
        top === 'shared'
          ? {
              shared: { kind: 'skills', name: file },
              file: [name, ...more].join('/'),
              content: newText('dot-mi'),
            }
          : name === ''
            ? { agent, file, content: newText('dot-mi') }
            : { agent, link: { kind: 'skills', name }, to };
      await call('POST', '/api/changes', { label: 'See', items: [item] });
    }
    unseen.clear();
    // Large sets, so that the kill comes in the middle of one.
    const label = 'Killed';
    const inFlight = [undefined, CROWDED, CROWDED].map((agents) =>
      fetch(`${server.url}/api/changes`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          label,
          items: Array.from({ length: 40 }, () => makeItem(agents && pick(agents))),
        }),
      }).catch(() => undefined),
    );
    // At another moment each time.
    await new Promise((resolve) => setTimeout(resolve, random(60)));
    await server.stop('SIGKILL');
    await Promise.all(inFlight);
    await checkFiles();
    // While dot-mi isn't running.
    for (let edits = random(4); edits > 0; edits--) await editByAnother();
    server = await startAgain();
    const partial = (await list()).filter(({ state }) => state === 'partial');
    for (const { id } of partial) {
      if (random(2) === 0) await call('POST', `/api/changes/${id}/finish`);
      else await undoExactly(id);
    }
    await checkFiles();
  }

  // An edit is an entry once its file was quiet for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await lookAtAll();
  const all = await list();
  expect(all.some(({ by }) => by.kind === 'program')).toBe(true);
  const texts = new Set<string | undefined>();
  for (const { id } of all)
    for (const { before, after } of (await call<ChangeDetail>('GET', `/api/changes/${id}`)).paths)
      for (const { text } of [before, after]) texts.add(text);
  expect([...written].filter((text) => !texts.has(text)).length).toBe(0);
  // Newest first, all the way back. Because no update is missing, each state is as the entry left it.
  for (const { id } of all) {
    const { refused } = await undoExactly(id);
    const [first] = refused.filter(({ path }) => !path.startsWith('agents/crowded-'));
    if (first) throw new Error(`${first.path}: ${first.error}\n${await historyOf(first.path, all, id)}`);
  }
  for (const [path, text] of firstStates) expect([path, await stateAt(path)]).toEqual([path, text]);
  await checkFiles();
  await rm(join(data, 'data/changes'), { recursive: true });
  await checkFiles();
});
