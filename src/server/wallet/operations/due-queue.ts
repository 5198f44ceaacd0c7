import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { MintError } from '../mint/mint.ts';
import { ASK_AWAY_MINT_MS } from '../mint/mint-watch.ts';

/** One kind of background work, such as rechecks of failed operations. Times in milliseconds since 1970. */
interface DueWork {
  /** Returns when the next of it is due. Undefined if there is none. */
  dueAt(): number | undefined;
  /** Does what is due, and moves it forward first, so that a failure isn't due again at once. */
  work(): Promise<unknown>;
  /** The shortest time between two turns, in ms. Default: 1 s. */
  shortestMs?: number;
  /** The longest time until a turn, in ms. What is due later was planned while the clock was ahead. Default: 1 hour. */
  longestMs?: number;
  /** Returns how long this kind rests from now, in ms, or 0. */
  restsForMs?(): number;
  /** Returns when to try again after the latest of some failures, in ms. Default: from 1 s, twice as long each time. */
  retryMs?(error: unknown, failures: number): number;
}

/** A kind of work in the queue. */
interface DueKind {
  /** Call this after the time at which its work is due may have changed. */
  changed(): void;
  /** Does the work now, or joins the turn that is running. Never rejects. */
  runNow(): Promise<void>;
}

/** The background work of one mint's wallet. Each kind has one turn at a time, and fails alone. */
export interface DueQueue {
  /** Adds a kind of work. It begins after {@link start}. */
  add(name: string, work: DueWork): DueKind;
  start(): void;
  /** Tries failed work again within seconds, because the mint responds again. */
  wake(): void;
  isStopped(): boolean;
  /** Starts nothing new. Resolves when all turns have ended. */
  stop(): Promise<void>;
}

const SHORTEST_MS = 1_000;
const HOUR_MS = 60 * 60_000;
const LONGEST_RETRY_MS = 5 * 60_000;

export const createDueQueue = (clock: Clock, logger: Logger): DueQueue => {
  const kinds: { start(): void; wake(): void; cancel(): void; turn(): Promise<void> | undefined }[] = [];
  let isStarted = false;
  let isStopped = false;

  return {
    add(name, { dueAt, work, shortestMs = SHORTEST_MS, longestMs = HOUR_MS, restsForMs, retryMs }) {
      let cancelTimer: (() => void) | undefined;
      let turn: Promise<void> | undefined;
      let failures = 0;
      let endedAt = clock.now();
      /** How long the next turn waits at least, counted from the end of the last one. */
      let pauseMs = shortestMs;

      /** Returns how long the next turn waits, in ms. Undefined if nothing is due. */
      const waitMs = (): number | undefined => {
        let at: number | undefined;
        try {
          at = dueAt();
        } catch (error) {
          // Reading what is due can fail too, such as on a full disk.
          logger.error(
            { err: error, work: name },
            'the wallet could not read when its background work is due',
          );
          return LONGEST_RETRY_MS;
        }
        if (at === undefined) return undefined;
        const now = clock.now();
        // A clock that was set back must not make the pause longer.
        const leftMs = Math.min(endedAt + pauseMs - now, pauseMs);
        return Math.max(0, Math.min(at - now, longestMs), leftMs, restsForMs?.() ?? 0);
      };

      const schedule = () => {
        cancelTimer?.();
        cancelTimer = undefined;
        if (!isStarted || isStopped || turn) return;
        const ms = waitMs();
        if (ms !== undefined) cancelTimer = clock.after(ms, () => void runNow());
      };

      const fail = (error: unknown) => {
        failures += 1;
        pauseMs =
          retryMs?.(error, failures) ??
          Math.min(SHORTEST_MS * 2 ** Math.min(failures - 1, 16), LONGEST_RETRY_MS);
        const log = error instanceof MintError ? logger.debug : logger.warn;
        log.call(logger, { err: error, work: name }, 'background work of the wallet will be tried again');
      };

      const runNow = (): Promise<void> => {
        cancelTimer?.();
        cancelTimer = undefined;
        if (isStopped) return Promise.resolve();
        turn ??= Promise.resolve()
          .then(work)
          .then(() => {
            failures = 0;
            pauseMs = shortestMs;
          }, fail)
          .finally(() => {
            turn = undefined;
            endedAt = clock.now();
            schedule();
          });
        return turn;
      };

      /** Begins what is due, without a timer. */
      const start = () => (isStarted && !turn && waitMs() === 0 ? void runNow() : schedule());

      kinds.push({
        start,
        wake() {
          if (failures > 0) pauseMs = Math.min(pauseMs, ASK_AWAY_MINT_MS);
          start();
        },
        cancel: () => cancelTimer?.(),
        turn: () => turn,
      });
      return { changed: schedule, runNow };
    },
    start() {
      isStarted = true;
      for (const { start } of kinds) start();
    },
    wake() {
      for (const { wake } of kinds) wake();
    },
    isStopped: () => isStopped,
    async stop() {
      isStopped = true;
      for (const { cancel } of kinds) cancel();
      await Promise.all(kinds.map(({ turn }) => turn()));
    },
  };
};
