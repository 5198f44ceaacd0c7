import { hash } from 'node:crypto';
import { type BigIntStats, closeSync, fstatSync, readSync } from 'node:fs';
import { contextWithoutWatch, createScanContext } from '../disk/coverage.ts';
import type { SettledWatch } from '../disk/watch.ts';
import { fromSystemError, isNotFound } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import { openInsideSync } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import {
  createSessionFinder,
  type SessionDirectory,
  type SessionsPlace,
  shownPath,
  type UnreadableDirectory,
} from './find-sessions.ts';
import { BTC_PRICE_REACH_MS, type BtcPriceAt, createBtcPrices } from './nearest-btc-price.ts';
import { parseSessionLine, type UsageLine } from './session-line.ts';
import { readLines } from './session-lines.ts';
import { addToModel, startWith, tokensOf, unread } from './session-state.ts';
import type { SessionFile, SessionsStore } from './sessions-store.ts';

/** A file or directory that can't be read or has the wrong type. */
interface SessionsProblem {
  /** Relative to the root, with `/`. Absolute if it's outside. */
  readonly path: string;
  /** A sentence for people. */
  readonly problem: string;
}

/** Hashes of this many bytes, at a file's start and before the offset, identify the file. */
const MARK_BYTES = 512;

const MAX_PROBLEMS = 20;

/** A longer line contains an image, so its text isn't read. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Returns whether {@link parseSessionLine} may use a line. Most of a session's bytes are in other lines. */
const isOfInterest = (line: Buffer, file: SessionFile): boolean =>
  line.includes('"usage"') ||
  (file.firstMessage === undefined && line.length <= MAX_MESSAGE_BYTES && line.includes('"user"')) ||
  (line.length < 8_192 &&
    (line.includes('"session"') || line.includes('"model_change"') || line.includes('"session_info"')));

const digest = (file: number, start: number, end: number): string => {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  const length = readSync(file, bytes, 0, bytes.length, start);
  return hash('sha256', bytes.subarray(0, length), 'base64').slice(0, 22);
};

const headOf = (file: number, offset: number): string => digest(file, 0, Math.min(MARK_BYTES, offset));

const tailOf = (file: number, offset: number): string =>
  digest(file, Math.max(0, offset - MARK_BYTES), offset);

/** Creates the index of a root's sessions in an open store. Everything blocks, so it runs in a thread. */
export const createSessionsIndex = (
  root: Root,
  store: SessionsStore,
  now: () => number,
  homeDirectory: string,
  others: readonly SessionDirectory[] = [],
  watch?: SettledWatch,
) => {
  const find = createSessionFinder(root, homeDirectory, others);
  const files = new Map(store.files().map((file) => [file.path, file]));
  const btcPrices = createBtcPrices();
  /** Set while only the watch can invalidate the index. */
  let valid: { readonly generation: number } | undefined;
  /** The files found by the last complete refresh, and those the current one has found so far. */
  let present: ReadonlySet<string> = new Set();
  let found = new Set<string>();
  let problems: SessionsProblem[] = [];
  let notCounted: string[] = [];

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
    store.addEntry(file, line, atMs, btcPrices.usdAt(atMs));
  };

  const addLine = (file: SessionFile, bytes: Buffer): void => {
    if (!isOfInterest(bytes, file)) return;
    const line = parseSessionLine(bytes.toString('utf8'), file);
    if (line?.kind === 'header') {
      // Only the first header counts.
      if (file.sessionId === undefined) startWith(file, line);
    } else if (file.sessionId === undefined) return;
    else if (line?.kind === 'usage') addUsage(file, line);
    else if (line?.kind === 'model') ({ provider: file.provider, model: file.model } = line);
    else if (line?.kind === 'user') file.firstMessage ??= line.text;
    else if (line?.kind === 'name') file.name = line.name === '' ? undefined : line.name;
  };

  /** Reads what was added to an open file, step by step. Reads the entire file if it was rewritten. */
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
      store.step(() => {
        // A newer format gives the file's lines new ids, so they would count twice.
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
          next.fingerprint = mayKeepRead(fingerprint, now()) ? fingerprint.text : '';
        }
        store.saveFile(next);
      });
      file = next;
      files.set(file.path, file);
      if (atEnd) return;
      yield;
    }
  }

  /** Reads a file. Returns whether the watch reports every change to it and it has no problem to report each time. */
  function* readFile(path: string, agent: string): Generator<void, boolean> {
    const problemsBefore = problems.length;
    let handle: number | undefined;
    try {
      const stats = lstatIfThere(path);
      if (!stats?.isFile()) return true;
      found.add(path);
      const known = files.get(path) ?? unread(store.addFile(path, agent), path, agent);
      files.set(path, known);
      if (known.fingerprint !== fingerprintOf(stats).text) {
        handle = openInsideSync(find.tops(), path);
        const opened = fstatSync(handle, { bigint: true });
        if (opened.isFile()) yield* readOpen(handle, known, opened);
      }
      const file = files.get(path);
      if (file && file.offset > 0 && file.sessionId === undefined)
        report(path, 'It doesn’t start like a pi session, so nothing in it was counted.');
      if (file && file.tooLong > 0)
        report(path, 'A line in it is longer than 32 MiB, so that line was not counted.');
      // A hard-linked file can be changed through its other name.
      return stats.nlink === 1n && problems.length === problemsBefore;
    } catch (error) {
      if (isNotFound(error)) return true;
      const known = fromSystemError(error);
      if (!known) throw error;
      report(path, known.message);
      return false;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  const reportDirectory = ({ path, error }: UnreadableDirectory): void => {
    const known = fromSystemError(error);
    if (known && problems.length < MAX_PROBLEMS) problems.push({ path, problem: known.message });
  };

  function* readPlace(place: SessionsPlace, seen: Set<string>): Generator<void> {
    place.unreadable.forEach(reportDirectory);
    if (place.hasUncounted) notCounted.push(place.agent);
    let canWait = true;
    for (const path of place.files) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (place.isRead) {
        found.add(path);
        continue;
      }
      canWait = (yield* readFile(path, place.agent)) && canWait;
      yield;
    }
    place.isRead ||= canWait && problems.length < MAX_PROBLEMS;
  }

  /** After a failure, discards everything read since the last commit, because the store doesn't have it. */
  const forget = (): void => {
    store.discard();
    find.forget();
    files.clear();
    for (const file of store.files()) files.set(file.path, file);
  };

  const isThere = (file: SessionFile): boolean =>
    file.sessionId !== undefined && (present.has(file.path) || found.has(file.path));

  return {
    /** Adds BTC prices, sorted by time, and assigns them to entries without one. */
    addBtcPrices(added: readonly BtcPriceAt[]): void {
      if (added.length === 0) return;
      btcPrices.add(added);
      const [first] = added;
      store.step(() => store.addBtcPrices((first?.atMs ?? 0) - BTC_PRICE_REACH_MS, btcPrices.usdAt));
      store.commit();
    },
    /** Returns whether the settled watch has reported nothing since everything was read. */
    isCurrent: (): boolean => valid !== undefined && valid.generation === watch?.generation,
    /**
     * Scans every session file, and reads what was added. Yields after each short step. If the watch is settled, it
     * scans only what was reported.
     */
    *refresh(isSettled = false): Generator<void> {
      const seen = new Set<string>();
      const before = { problems, notCounted };
      const generation = watch?.generation ?? 0;
      const scan = watch && createScanContext(watch, isSettled, now());
      problems = [];
      notCounted = [];
      found = new Set();
      try {
        for (const place of find(scan?.context ?? contextWithoutWatch(now()))) {
          if (place !== 'pause') {
            if ('error' in place) reportDirectory(place);
            else yield* readPlace(place, seen);
          }
          yield;
        }
        store.commit();
        present = found;
        valid = scan?.isCovered() ? { generation } : undefined;
      } catch (error) {
        ({ problems, notCounted } = before);
        valid = undefined;
        forget();
        throw error;
      }
    },
    problems: (): readonly SessionsProblem[] => problems,
    /** Returns the agents with sessions that dot-mi doesn't read, as of the last refresh. Sorted. */
    notCounted: (): readonly string[] => notCounted.toSorted(),
    /** Returns an agent's sessions whose files exist. */
    sessionsOf: (agent: string): SessionFile[] =>
      [...files.values()].filter((file) => file.agent === agent && isThere(file)),
    /** Returns every session file that was ever read, including deleted ones. */
    everRead: (): Iterable<SessionFile> => files.values(),
    /**
     * Returns a session's existing files, or those of one agent. A copy can be older than the session, so they're
     * sorted by newest call, then by length.
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
    btcUsdAt: btcPrices.usdAt,
    /** Returns the resolved directories that contain session files. */
    tops: find.tops,
  };
};
