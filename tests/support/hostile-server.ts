import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { HostileKind } from './hostile-kinds.ts';
import { ABOVE_GOOD, DESCRIBED, type Reader } from './hostile-readers.ts';
import { DESCRIPTION, HOSTILE_ROOT, OUTSIDE, SECRET } from './hostile-tree.ts';
import { noUnprivilegedUser, unprivilegedUser } from './nobody.ts';
import { PATIENCE_MS } from './patience.ts';
import { plant } from './plant.ts';
import { startSharedServerProcess } from './server-process.ts';
import { makeSharedDirectory } from './temp.ts';

/** No reader reads as much for one answer. */
const MOST_BYTES_READ = 4 * 1024 ** 3;

const SWAP_LINKS = fileURLToPath(new URL('./swap-links.ts', import.meta.url));

/** An answer. */
interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any answer
  readonly body: any;
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** What an answer says, in a few words: of an error its status and code. */
const outcomeOf = ({ told }: Reader, { status, body }: Answer, place: string): string =>
  status === 200 ? told(body, place) : `${status} ${body.code}`;

const isAbove = (place: string, other: string): boolean =>
  place === '.' || place === other || other.startsWith(`${place}/`);

/**
 * Starts a server for all tests of a file, from `beforeAll`, with a root that they attack with these kinds. Its user is
 * nobody if root runs the tests, so that the system refuses it something. The caller stops it.
 */
export const startAttackedServer = async (kinds: readonly HostileKind[] = []) => {
  const { directory, remove } = await makeSharedDirectory();
  const at = (name: string) => join(directory, name);
  const [root, outside, store, data, aside] = ['root', 'private', 'store', 'data', 'aside'].map(at) as [
    string,
    string,
    string,
    string,
    string,
  ];
  for (const made of [store, data]) await mkdir(made);
  await plant(root, HOSTILE_ROOT);
  await plant(outside, OUTSIDE);
  const ended = new AbortController();
  for (const { id, make } of kinds) await make?.(join(store, id), ended.signal);
  const uid = noUnprivilegedUser() === undefined ? unprivilegedUser : undefined;
  await chmod(directory, 0o755);
  if (uid !== undefined) await chown(data, uid, uid);
  const server = await startSharedServerProcess({ DOT_MI_ROOT: root }, data, uid);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();

  const ask = async ({ path, isOperator }: Pick<Reader, 'path' | 'isOperator'>): Promise<Answer> => {
    const response = await fetch(`${server.url}${path.replace('ROOT', encodeURIComponent(root))}`, {
      headers: isOperator ? { Authorization: `Bearer ${token}` } : {},
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };

  /** Asks until everything was read. */
  const get = async (reader: Pick<Reader, 'path' | 'isOperator' | 'takesTime'>): Promise<Answer> => {
    for (;;) {
      const answer = await ask(reader);
      if (!reader.takesTime || answer.body.reading !== true) return answer;
    }
  };

  /** How much the server has read so far. Undefined where the system doesn't say. */
  const bytesRead = (): number | undefined => {
    try {
      return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${server.child.pid}/io`, 'utf8'))?.[1]);
    } catch {
      return undefined;
    }
  };

  const before = new Map<Reader, Answer>();
  const answerBefore = async (reader: Reader): Promise<Answer> => {
    const answer = before.get(reader) ?? (await get(reader));
    before.set(reader, answer);
    return answer;
  };

  /** Makes sure that an answer has nothing from outside, and everything that is in order. */
  const expectHarmless = async (reader: Reader, answer: Answer, place: string): Promise<void> => {
    // The operator reads the script that a link names before it is trusted.
    if (!reader.followsLinks) expect(answer.text).not.toContain(SECRET);
    if (!DESCRIBED.includes(place)) expect(answer.text).not.toContain(DESCRIPTION);
    expect(answer.body.code, answer.text).not.toBe('internal');
    if (ABOVE_GOOD.some((folder) => isAbove(place, folder))) return;
    if (reader.good && answer.status === 200)
      expect(reader.good(answer.body)).toEqual(reader.good((await answerBefore(reader)).body));
  };

  return {
    root,
    outside,
    server,
    get,
    expectHarmless,
    /** Follows the events until the server ends. Returns a function that returns all so far. */
    async follow(): Promise<() => string> {
      let events = '';
      const stream = await fetch(`${server.url}/api/events`);
      void (async () => {
        for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) events += text;
      })().catch(() => undefined);
      return () => events;
    },
    /** What the server could not explain, one line each. */
    errors: () =>
      `${server.stdout()}\n${server.stderr()}`.split('\n').filter((line) => /"level":[5-9]\d/.test(line)),
    /** Runs `ask` while another process replaces paths of the root with links to the same paths outside, and puts them back. */
    async whileSwapped(paths: readonly string[], ask: () => Promise<void>): Promise<void> {
      const attacker = spawn(process.execPath, [SWAP_LINKS, root, outside, ...paths], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = new Promise((resolve) => attacker.once('exit', resolve));
      try {
        await new Promise((resolve) => attacker.stdout.once('data', resolve));
        await ask();
      } finally {
        attacker.kill('SIGKILL');
        await ended;
        for (const path of paths.map((place) => join(root, place))) {
          if (!(await isThere(`${path}.real`))) continue;
          await rm(path, { force: true });
          await rename(`${path}.real`, path);
        }
      }
    },
    /** Asks while something hostile is in a place. Returns what the answer says, or undefined if it says what it always does. */
    async outcome(reader: Reader, place: string, kind: HostileKind): Promise<string | undefined> {
      const path = join(root, place);
      const target = { path, place, outside, kept: join(store, kind.id) };
      const usual = outcomeOf(reader, await answerBefore(reader), place);
      const isMoved = kind.group !== 'closed' && (await isThere(path));
      if (isMoved) await rename(path, aside);
      const read = bytesRead();
      let answer: Answer;
      try {
        await kind.put(target);
        answer = await get(reader);
      } finally {
        await kind.take(target);
        if (isMoved) await rename(aside, path);
      }
      const readNow = bytesRead();
      if (read !== undefined && readNow !== undefined) expect(readNow - read).toBeLessThan(MOST_BYTES_READ);
      await expectHarmless(reader, answer, place);
      expect(answer.text).not.toContain(outside);
      const [again, health] = await Promise.all([get(reader), get({ path: '/api/health' })]);
      expect(health.status).toBe(200);
      // Nothing hostile is left, so nothing false was kept.
      expect(outcomeOf(reader, again, place)).toBe(usual);
      const outcome = outcomeOf(reader, answer, place);
      return outcome === usual ? undefined : outcome;
    },
    async stop() {
      await server.stop('SIGKILL');
      ended.abort();
      await remove();
    },
  };
};

export type AttackedServer = Awaited<ReturnType<typeof startAttackedServer>>;
