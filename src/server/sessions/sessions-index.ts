import { hash } from 'node:crypto';
import { type BigIntStats, closeSync, fstatSync, readSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { isAgentId } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { type Completeness, toCompleteness } from '../platform/completeness.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import { openInsideSync } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import { contextWithoutWatch, createScanContext } from '../root-model/coverage.ts';
import type { RootWatch } from '../root-model/watch.ts';
import { type AgentTerms, NO_TERMS } from './agent-terms.ts';
import {
  createSessionFinder,
  type Gap,
  gapOf,
  MAX_GAPS,
  type OtherPlaces,
  requireShort,
  type SessionsPlace,
  toGap,
} from './find-sessions.ts';
import { BTC_PRICE_REACH_MS, type BtcPriceAt, createBtcPrices } from './nearest-btc-price.ts';
import { parseFields, sessionLineOf, type UsageLine } from './session-line.ts';
import { readLines } from './session-lines.ts';
import { addToModel, problemIn, startWith, tokensOf, unread } from './session-state.ts';
import type { SessionFile, SessionsStore } from './sessions-store.ts';

/** Hashes of this many bytes, at a file's start and before the offset, identify the file. */
const MARK_BYTES = 512;

/** A longer line contains an image, so its text isn't read. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

/** Returns whether {@link sessionLineOf} may use a line. Most of a session's bytes are in other lines. */
const isOfInterest = (line: Buffer, file: SessionFile): boolean =>
  line.includes('"usage"') ||
  (file.firstMessage === undefined && line.length <= MAX_MESSAGE_BYTES && line.includes('"user"')) ||
  (line.length < 8_192 &&
    (line.includes('"session"') || line.includes('"model_change"') || line.includes('"session_info"')));

/** Returns a line's last byte that isn't white space. Undefined for a blank line. */
const lastOf = (line: Buffer): number | undefined => {
  let at = line.length - 1;
  while (at >= 0 && (line[at] ?? 0) <= SPACE) at--;
  return line[at];
};

const SPACE = 32;
const CLOSING_BRACE = 125;

const digest = (file: number, start: number, end: number): string => {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  const length = readSync(file, bytes, 0, bytes.length, start);
  return hash('sha256', bytes.subarray(0, length), 'base64').slice(0, 22);
};

const headOf = (file: number, offset: number): string => digest(file, 0, Math.min(MARK_BYTES, offset));

const tailOf = (file: number, offset: number): string =>
  digest(file, Math.max(0, offset - MARK_BYTES), offset);

/** Collects what a refresh leaves out. */
const createGaps = () => {
  const problems: Gap[] = [];
  const everyone = new Set<string>();
  const agents = new Set<string>();
  let isAnyones = false;
  return {
    /** Adds the gaps in an agent's sessions, if any. */
    add(agent: string, gaps: readonly Gap[]): void {
      everyone.add(agent);
      if (gaps.length > 0) agents.add(agent);
      problems.push(...gaps.slice(0, MAX_GAPS - problems.length));
    },
    /** Adds a gap that can be in any agent's sessions. */
    addAnyones(gap: Gap): void {
      isAnyones = true;
      problems.push(gap);
    },
    problems,
    agents: () => (isAnyones ? everyone : agents),
    isAnyones: () => isAnyones,
  };
};

/** What was read of all session files. */
export interface SessionsRead {
  /** What that leaves out. */
  readonly completeness: Completeness;
  /** Describes the first things that are left out. */
  readonly problems: readonly Gap[];
  /** Returns an agent's sessions whose files exist. */
  sessionsOf(agent: string): SessionFile[];
  /** Returns every session file that was ever read, including deleted ones. */
  everRead(): Iterable<SessionFile>;
  /** The terms of agents by their number in sums. */
  readonly terms: readonly AgentTerms[];
  termsOf(agent: string): AgentTerms;
  /** Returns whether a session file is of a run for a customer. */
  isOfSale(path: string): boolean;
  sums: SessionsStore['sums'];
}

/** Creates the index of a root's sessions in an open store. Everything blocks, so it runs in a thread. */
export const createSessionsIndex = (
  root: Root,
  store: SessionsStore,
  now: () => number,
  homeDirectory: string,
  { watch, ...places }: OtherPlaces & { readonly watch?: RootWatch | undefined } = {},
) => {
  const find = createSessionFinder(root, homeDirectory, places);
  const files = new Map(store.files().map((file) => [file.path, file]));
  const btcPrices = createBtcPrices();
  /** Set while only the watch can invalidate the index. */
  let valid: { readonly generation: number } | undefined;
  /** The files found by the last complete refresh, and those the current one has found so far. */
  let present: ReadonlySet<string> = new Set();
  let found = new Set<string>();
  /** What the last complete refresh left out, and what the current one has left out so far. */
  let leftOut = createGaps();
  let leavingOut = leftOut;

  /** The agents' terms as of the last complete refresh. Agents without any aren't in the map. */
  let termsByAgent: ReadonlyMap<string, AgentTerms> = new Map();
  let terms: readonly AgentTerms[] = [NO_TERMS];
  const termsOf = (agent: string): AgentTerms => termsByAgent.get(agent) ?? NO_TERMS;

  const setTerms = (found: ReadonlyMap<string, AgentTerms>): void => {
    if (found.size === termsByAgent.size && [...found].every(([agent, own]) => termsOf(agent) === own))
      return;
    terms = [NO_TERMS, ...new Set(found.values())];
    const numbers = new Map(terms.map((own, number) => [own, { number, lengths: own.lengths }]));
    store.setTerms(
      new Map(Array.from(found, ([agent, own]) => [agent, numbers.get(own) ?? { number: 0, lengths: [] }])),
    );
    termsByAgent = found;
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
    file.refused += line.hasRefused ? 1 : 0;
    store.addEntry(file, line, atMs, btcPrices.usdAt(atMs));
  };

  /** Adds a line of a file whose header is known. */
  const addKnown = (file: SessionFile, bytes: Buffer): void => {
    const isWhole = lastOf(bytes) === CLOSING_BRACE;
    if (!isWhole) file.damaged++;
    if (!isWhole || !isOfInterest(bytes, file)) return;
    const fields = parseFields(bytes.toString('utf8'));
    if (!fields && bytes.includes('"usage"')) file.damaged++;
    const line = fields && sessionLineOf(fields, file);
    if (line?.kind === 'usage') addUsage(file, line);
    else if (line?.kind === 'model') ({ provider: file.provider, model: file.model } = line);
    else if (line?.kind === 'user') file.firstMessage ??= line.text;
    else if (line?.kind === 'name') file.name = line.name === '' ? undefined : line.name;
  };

  const addLine = (file: SessionFile, bytes: Buffer): void => {
    if (file.isOther || lastOf(bytes) === undefined) return;
    if (file.sessionId !== undefined) {
      addKnown(file, bytes);
      return;
    }
    // Like pi, take the first line of JSON as the header.
    const fields = parseFields(bytes.toString('utf8'));
    const line = fields && sessionLineOf(fields);
    if (line?.kind === 'header') startWith(file, line);
    else if (!fields || fields.type === 'session') file.damaged++;
    else file.isOther = true;
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
          return !next.isOther;
        });
        atEnd = read.atEnd || next.isOther;
        next.offset = read.offset;
        next.tooLong += read.tooLong;
        next.head = headOf(handle, next.offset);
        next.tail = tailOf(handle, next.offset);
        if (atEnd) {
          next.isUnfinished = stats.size > next.offset;
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

  /** Returns the agent in whose directory a file is. Links lead into the directories of others. */
  const ownerOf = (path: string): string | undefined => {
    const [top = '', id = ''] = relative(root.path, path).split(sep);
    return (top === 'agents' || top === 'workspaces') && isAgentId(id) ? id : undefined;
  };

  /** Returns what isn't counted of a file that was found for an agent. */
  const gapIn = (path: string, agent: string): Gap | undefined => {
    const file = files.get(path);
    const problem =
      file &&
      (problemIn(file) ??
        (file.sessionId === undefined || file.agent === agent
          ? undefined
          : `Its calls are counted for the agent “${file.agent}”, because both store sessions there.`));
    return problem === undefined ? undefined : toGap(root, path, problem);
  };

  /** Reads a file of a place. Returns whether the watch reports every change to it. */
  function* readFile(path: string, { agent, gaps }: SessionsPlace): Generator<void, boolean> {
    const leaveOut = (gap: Gap | undefined) => {
      if (gap && gaps.length < MAX_GAPS) gaps.push(gap);
    };
    let handle: number | undefined;
    try {
      const stats = lstatIfThere(path);
      if (!stats) requireShort(path);
      if (!stats?.isFile()) return true;
      found.add(path);
      const owner = files.get(path)?.agent ?? ownerOf(path) ?? agent;
      const known = files.get(path) ?? unread(store.addFile(path, owner), path, owner);
      files.set(path, known);
      if (known.fingerprint !== fingerprintOf(stats).text) {
        handle = openInsideSync(find.tops(), path);
        const opened = fstatSync(handle, { bigint: true });
        if (opened.isFile()) yield* readOpen(handle, known, opened);
      }
      leaveOut(gapIn(path, agent));
      // A hard-linked file can be changed through its other name.
      return stats.nlink === 1n;
    } catch (error) {
      if (isNotFound(error) && systemCode(error) !== 'ENAMETOOLONG') return true;
      leaveOut(gapOf(root, path, error));
      return false;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  function* readPlace(place: SessionsPlace, seen: Set<string>): Generator<void> {
    let canWait = true;
    for (const path of place.files) {
      if (place.isRead) {
        seen.add(path);
        found.add(path);
        continue;
      }
      if (seen.has(path)) {
        const gap = gapIn(path, place.agent);
        if (gap && place.gaps.length < MAX_GAPS) place.gaps.push(gap);
        continue;
      }
      seen.add(path);
      canWait = (yield* readFile(path, place)) && canWait;
      yield;
    }
    place.isRead ||= canWait;
    leavingOut.add(place.agent, place.gaps);
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
    /** Returns whether the watch, once caught up, has reported nothing since everything was read. */
    isCurrent: (): boolean => valid !== undefined && valid.generation === watch?.generation,
    /**
     * Scans every session file, and reads what was added. Yields after each short step. If the watch has caught up, it
     * scans only what was reported.
     */
    *refresh(isCaughtUp = false): Generator<void> {
      const seen = new Set<string>();
      const generation = watch?.generation ?? 0;
      const scan = watch && createScanContext(watch, isCaughtUp, now());
      leavingOut = createGaps();
      found = new Set();
      const foundTerms = new Map<string, AgentTerms>();
      try {
        for (const place of find(scan?.context ?? contextWithoutWatch(now()))) {
          if (place !== 'pause') {
            if ('problem' in place) leavingOut.addAnyones(place);
            else {
              if (place.terms && place.terms !== NO_TERMS) foundTerms.set(place.agent, place.terms);
              yield* readPlace(place, seen);
            }
          }
          yield;
        }
        store.commit();
        setTerms(foundTerms);
        present = found;
        leftOut = leavingOut;
        valid = scan?.isCovered() ? { generation } : undefined;
      } catch (error) {
        leavingOut = leftOut;
        valid = undefined;
        forget();
        throw error;
      }
    },
    /** Returns what was read so far, with what it leaves out. While `isReading`, the last refresh counts too. */
    read(isReading: boolean): SessionsRead {
      const parts = [...new Set([leftOut, leavingOut])];
      const isAnyones = parts.some((gaps) => gaps.isAnyones());
      const agents = parts.flatMap((gaps) => [...gaps.agents()]);
      const problems = new Map(
        parts.flatMap((gaps) => gaps.problems).map((gap) => [JSON.stringify(gap), gap]),
      );
      return {
        completeness: toCompleteness({ isReading, agents, isAnyones }),
        problems: [...problems.values()].slice(0, MAX_GAPS),
        sessionsOf: (agent) => [...files.values()].filter((file) => file.agent === agent && isThere(file)),
        everRead: () => files.values(),
        terms,
        termsOf,
        isOfSale: find.isOfSale,
        sums: store.sums,
      };
    },
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
    isOfSale: find.isOfSale,
  };
};
