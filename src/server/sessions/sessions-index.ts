import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { fromSystemError, isNotFound } from '../platform/app-error.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { createSessionFinder, type SessionDirectory, shownPath } from './find-sessions.ts';
import { parseSessionLine, type SessionHeader, type UsageLine } from './session-line.ts';
import { readLines } from './session-lines.ts';
import type { ModelOfSession, SessionFile, SessionsStore } from './sessions-store.ts';

/** A BTC price and its time. */
export interface BtcPrice {
  readonly atMs: number;
  readonly usd: number;
}

/** A file or directory that can't be read, or isn't what it should be. */
export interface SessionsProblem {
  /** Relative to the root, with `/`. Absolute if it is outside. */
  readonly path: string;
  /** A sentence for people. */
  readonly problem: string;
}

/** A BTC price counts for entries up to this much before or after it. */
const BTC_PRICE_REACH_MS = 6 * 60 * 60 * 1000;

/** How much of the start and before the offset of a file identifies it. */
const MARK_BYTES = 512;

/** The most models that are listed for a session. */
const MAX_MODELS = 100;

const MAX_PROBLEMS = 20;

/** Whether a line can be one that {@link parseSessionLine} reads. Most of a session's bytes are in others. */
const isOfInterest = (line: Buffer): boolean =>
  line.includes('"usage"') ||
  (line.length < 8_192 &&
    (line.includes('"session"') || line.includes('"model_change"') || line.includes('"session_info"')));

const digest = (file: number, start: number, end: number): string => {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  const length = readSync(file, bytes, 0, bytes.length, start);
  return createHash('sha256').update(bytes.subarray(0, length)).digest('base64').slice(0, 22);
};

const headOf = (file: number, offset: number): string => digest(file, 0, Math.min(MARK_BYTES, offset));

const tailOf = (file: number, offset: number): string =>
  digest(file, Math.max(0, offset - MARK_BYTES), offset);

const unread = (id: number, path: string, agent: string): SessionFile => ({
  id,
  path,
  agent,
  fingerprint: '',
  head: '',
  tail: '',
  offset: 0,
  sessionId: undefined,
  version: 0,
  name: undefined,
  cwd: undefined,
  parentSession: undefined,
  startedAtMs: undefined,
  endedAtMs: undefined,
  provider: '',
  model: '',
  models: [],
  calls: 0,
  errors: 0,
  tokens: 0,
  usd: 0,
  tooLong: 0,
});

const tokensOf = ({ input, output, cacheRead, cacheWrite }: UsageLine): number =>
  input + output + cacheRead + cacheWrite;

const addToModel = (models: ModelOfSession[], line: UsageLine): ModelOfSession[] => {
  const at = models.findIndex(({ provider, model }) => provider === line.provider && model === line.model);
  if (at < 0 && models.length >= MAX_MODELS) return models;
  const { provider, model } = line;
  const before = models[at] ?? {
    provider,
    model,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
  };
  const added =
    line.usd > 0
      ? before
      : {
          provider,
          model,
          input: before.input + line.input,
          output: before.output + line.output,
          cacheRead: before.cacheRead + line.cacheRead,
          cacheWrite: before.cacheWrite + line.cacheWrite,
          cacheWrite1h: before.cacheWrite1h + line.cacheWrite1h,
        };
  return at < 0 ? [...models, added] : models.with(at, added);
};

const startWith = (file: SessionFile, header: SessionHeader): void => {
  file.sessionId = header.id;
  file.version = header.version;
  file.cwd = header.cwd;
  file.parentSession = header.parentSession;
  file.startedAtMs = header.startedAtMs;
  file.endedAtMs ??= header.startedAtMs;
};

/** Creates the index of a root's sessions over an open store. All of it blocks, so it runs in a thread. */
export const createSessionsIndex = (
  root: Root,
  store: SessionsStore,
  now: () => number,
  others: readonly SessionDirectory[] = [],
) => {
  const find = createSessionFinder(root, others);
  const files = new Map(store.files().map((file) => [file.path, file]));
  let btcPrices: readonly BtcPrice[] = [];
  /** The files that the last whole refresh found, and those that the current one has found so far. */
  let present: ReadonlySet<string> = new Set();
  let found = new Set<string>();
  let problems: SessionsProblem[] = [];

  /** The BTC price nearest to a time, or undefined if none is near. */
  const btcUsdAt = (atMs: number): number | undefined => {
    let low = 0;
    let high = btcPrices.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((btcPrices[middle]?.atMs ?? 0) < atMs) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [btcPrices[low - 1], btcPrices[low]];
    const distance = (price: BtcPrice | undefined) =>
      price ? Math.abs(price.atMs - atMs) : Number.POSITIVE_INFINITY;
    const nearest = distance(before) <= distance(after) ? before : after;
    return distance(nearest) <= BTC_PRICE_REACH_MS ? nearest?.usd : undefined;
  };

  const report = (path: string, problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ path: shownPath(root, path), problem });
  };

  const addUsage = (file: SessionFile, line: UsageLine): void => {
    const atMs = line.atMs ?? file.endedAtMs ?? file.startedAtMs ?? 0;
    file.endedAtMs = Math.max(file.endedAtMs ?? 0, atMs);
    if (line.namesModel) ({ provider: file.provider, model: file.model } = line);
    file.models = addToModel(file.models, line);
    file.calls += line.isCall ? 1 : 0;
    file.errors += line.isError ? 1 : 0;
    file.tokens += tokensOf(line);
    file.usd += line.usd;
    store.addEntry(file, line, atMs, btcUsdAt(atMs));
  };

  const addLine = (file: SessionFile, bytes: Buffer): void => {
    if (!isOfInterest(bytes)) return;
    const line = parseSessionLine(bytes.toString('utf8'), file);
    if (line?.kind === 'header') {
      // Only the first header counts.
      if (file.sessionId === undefined) startWith(file, line);
    } else if (file.sessionId === undefined) return;
    else if (line?.kind === 'usage') addUsage(file, line);
    else if (line?.kind === 'model') ({ provider: file.provider, model: file.model } = line);
    else if (line?.kind === 'name') file.name = line.name === '' ? undefined : line.name;
  };

  /** Reads what was added to an open file, one step after another. Reads all of a file that was rewritten. */
  function* readOpen(handle: number, known: SessionFile, stats: BigIntStats): Generator<void> {
    let file = known;
    const isSame =
      file.offset > 0 &&
      stats.size >= file.offset &&
      headOf(handle, file.offset) === file.head &&
      tailOf(handle, file.offset) === file.tail;
    const before = file;
    if (!isSame) file = { ...unread(file.id, file.path, file.agent) };
    for (let isFirst = true; ; isFirst = false) {
      let atEnd = false;
      const next = { ...file };
      store.transaction(() => {
        // Its lines get ids in a new version of the format, so they would count twice.
        if (isFirst && !isSame && before.offset > 0) store.removeUnnamed(file.id);
        const read = readLines(handle, file.offset, (line) => {
          addLine(next, line);
          return true;
        });
        atEnd = read.atEnd;
        next.offset = read.offset;
        next.tooLong += read.tooLong;
        next.head = headOf(handle, next.offset);
        next.tail = tailOf(handle, next.offset);
        if (atEnd) {
          const fingerprint = fingerprintOf(stats);
          next.fingerprint = isSettled(fingerprint, now()) ? fingerprint.text : '';
        }
        store.saveFile(next);
      });
      file = next;
      files.set(file.path, file);
      if (atEnd) return;
      yield;
    }
  }

  function* readFile(path: string, agent: string): Generator<void> {
    let handle: number | undefined;
    try {
      const stats = lstatIfThere(path);
      if (!stats?.isFile()) return;
      found.add(path);
      const known = files.get(path) ?? unread(store.addFile(path, agent), path, agent);
      files.set(path, known);
      if (known.fingerprint !== fingerprintOf(stats).text) {
        const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
        handle = openSync(path, flags);
        yield* readOpen(handle, known, fstatSync(handle, { bigint: true }));
      }
      const file = files.get(path);
      if (file && file.offset > 0 && file.sessionId === undefined)
        report(path, 'It does not start as a session of pi does, so nothing in it was counted.');
      if (file && file.tooLong > 0)
        report(path, 'A line in it is longer than 32 MiB, so it was not counted.');
    } catch (error) {
      if (isNotFound(error)) return;
      const known = fromSystemError(error);
      if (!known) throw error;
      report(path, known.message);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  const isThere = (file: SessionFile): boolean =>
    file.sessionId !== undefined && (present.has(file.path) || found.has(file.path));

  return {
    /** Adds BTC prices, sorted by time, and gives them to entries that have none. */
    addBtcPrices(added: readonly BtcPrice[]): void {
      if (added.length === 0) return;
      btcPrices = [...btcPrices, ...added].sort((a, b) => a.atMs - b.atMs);
      const [first] = added;
      store.transaction(() => store.addBtcPrices((first?.atMs ?? 0) - BTC_PRICE_REACH_MS, btcUsdAt));
    },
    /** Looks at every session file, and reads what was added. Yields after each short step. */
    *refresh(): Generator<void> {
      const seen = new Set<string>();
      const before = problems;
      problems = [];
      found = new Set();
      try {
        for (const place of find(now())) {
          if ('error' in place) {
            const known = fromSystemError(place.error);
            if (known && problems.length < MAX_PROBLEMS)
              problems.push({ path: place.path, problem: known.message });
          } else if (!seen.has(place.path)) {
            seen.add(place.path);
            yield* readFile(place.path, place.agent);
          }
          yield;
        }
        present = found;
      } catch (error) {
        problems = before;
        throw error;
      }
    },
    /** What the last refresh could not read. */
    problems: (): readonly SessionsProblem[] => problems,
    /** The sessions of an agent whose files are there. */
    sessionsOf: (agent: string): SessionFile[] =>
      [...files.values()].filter((file) => file.agent === agent && isThere(file)),
    /**
     * The files of a session that are there, or those of one agent. A copy can be older than the session, so the
     * one with the newest call is first. Then comes the longest one.
     */
    copiesOf: (sessionId: string, agent: string | undefined): SessionFile[] =>
      [...files.values()]
        .filter(
          (file) => file.sessionId === sessionId && (agent ?? file.agent) === file.agent && isThere(file),
        )
        .sort(
          (a, b) =>
            (b.endedAtMs ?? 0) - (a.endedAtMs ?? 0) || b.offset - a.offset || (a.path < b.path ? -1 : 1),
        ),
    btcUsdAt,
  };
};
