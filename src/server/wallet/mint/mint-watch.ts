import type { MintStatus } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Mint, MintError, type MintInfo, RETRY_AFTER_UNNAMED_MS } from './mint.ts';
import { LIMITED_MESSAGE } from './mint-refusal.ts';
import { callMint, createMintMethods, type MintMethod } from './mint-thread.ts';

/** Tracks whether the mint is reachable. */
export interface MintWatch {
  /** The mint, whose requests are tracked. */
  mint: Mint;
  /** Returns its status. Queries the mint unless a recent request did. */
  status(): Promise<Omit<MintStatus, 'mint'>>;
  /** Rejects while the mint limits requests. Queries it again if it didn't respond last time, and rejects if it still doesn't. */
  requireMint(): Promise<void>;
  /** Returns how long the wallet sends the mint no request, because it limited one, in ms, or 0. */
  pausedForMs(): number;
  /** Returns whether the mint limited a request in the last hour. */
  isLimiting(): boolean;
  /** Returns how long ago the last pause ended, in ms. Negative until it does. */
  openForMs(): number;
}

const KNOWN_FOR_MS = 15_000;
/** The limit for how often a pause can double, because the next request was limited too. */
const MOST_DOUBLED = 4;
const HOUR_MS = 60 * 60_000;

/** Methods whose success proves that the mint is reachable. Other methods may succeed with known keysets. */
const ASKS_THE_MINT: ReadonlySet<MintMethod> = new Set(['swap', 'states', 'restore', 'scan', 'info']);

/** How often background work asks a mint that is away, if the balance waits for it. */
export const ASK_AWAY_MINT_MS = 5_000;

/** Returns whether an error means that the mint was unreachable. */
export const isMintAway = (error: unknown): boolean =>
  error instanceof MintError && (error.kind === 'unreachable' || error.kind === 'unanswered');

/** Creates a pause that ends early if the clock is set back, because nobody knows by how much. */
export const createPause = (clock: Pick<Clock, 'now'>) => {
  let since = Number.NEGATIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  const leftMs = (): number => {
    const now = clock.now();
    return now < since ? 0 : Math.max(0, until - now);
  };
  return {
    /** Makes it last for at least this long from now, in ms. */
    extend(ms: number): void {
      until = clock.now() + Math.max(ms, leftMs());
      since = clock.now();
    },
    /** Returns how long it lasts from now, in ms, or 0. */
    leftMs,
    /** Returns how long ago it ended, in ms. Negative until it does. */
    endedForMs: (): number => (leftMs() > 0 ? -leftMs() : Math.abs(clock.now() - until)),
  };
};

/**
 * Wraps a mint in a {@link MintWatch}. Calls `onBack` once the mint is reachable again, and `onHeard` after each
 * request that shows whether it is.
 */
export const watchMint = (
  mint: Mint,
  clock: Clock,
  onBack: () => void,
  onHeard: (isReachable: boolean) => void = () => undefined,
): MintWatch => {
  let info: MintInfo = {};
  let problem: MintError | undefined;
  let heardAt: number | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const pause = createPause(clock);
  let limitedAt = Number.NEGATIVE_INFINITY;
  let pauses = 0;
  /** How many pauses there were since the mint last answered. */
  let inARow = 0;
  let lastPauseMs = 0;

  /** Stops all requests. Nutshell's count resets only after a minute without any, and each one prolongs that. */
  const noteLimit = (retryAfterMs: number, pausesBefore: number) => {
    // Otherwise, it was sent before the pause.
    if (pausesBefore === pauses) {
      pauses += 1;
      const isNamed = retryAfterMs !== RETRY_AFTER_UNNAMED_MS;
      lastPauseMs = isNamed ? retryAfterMs : retryAfterMs * 2 ** Math.min(inARow, MOST_DOUBLED);
      inARow += 1;
    }
    pause.extend(Math.max(retryAfterMs, lastPauseMs));
    limitedAt = clock.now();
  };

  const heard = (now: MintError | undefined) => {
    const isBack = problem !== undefined && now === undefined;
    problem = now;
    heardAt = clock.now();
    onHeard(!isMintAway(now));
    if (isBack) onBack();
  };

  const watched = createMintMethods(async ({ method, parameters }) => {
    const pausesBefore = pauses;
    try {
      const value = await callMint(mint, { method, parameters });
      if (method === 'keysets' ? parameters[0] === true : ASKS_THE_MINT.has(method)) {
        if (pausesBefore === pauses) inARow = 0;
        heard(undefined);
      }
      return value;
    } catch (error) {
      if (!(error instanceof MintError)) throw error;
      const { kind, message, details } = error;
      const { status, retryAfterMs = 0 } = details;
      // During a pause, the wallet refuses requests itself, which says nothing about the mint.
      if (kind === 'limited' && status === undefined) throw error;
      if (kind === 'limited') noteLimit(retryAfterMs, pausesBefore);
      // A mint that refuses or limits a request is reachable.
      heard(kind === 'refused' || kind === 'limited' ? undefined : error);
      throw kind === 'limited'
        ? new MintError(kind, message, { ...details, retryAfterMs: pause.leftMs() })
        : error;
    }
  });
  const wrapped: Mint = { ...watched, close: mint.close };

  return {
    mint: wrapped,
    async requireMint() {
      const pauseMs = pause.leftMs();
      if (pauseMs > 0) throw new MintError('limited', LIMITED_MESSAGE, { retryAfterMs: pauseMs });
      if (!problem) return;
      await wrapped.keysets(true).catch((error: unknown) => {
        // The mint is reachable, and the following request takes precedence.
        if (!(error instanceof MintError && error.kind === 'limited')) throw error;
      });
    },
    pausedForMs: pause.leftMs,
    isLimiting: () => clock.now() - limitedAt < HOUR_MS,
    openForMs: pause.endedForMs,
    async status() {
      if (clock.now() - askedAt > KNOWN_FOR_MS && pause.leftMs() === 0) {
        askedAt = clock.now();
        await wrapped.info().then(
          (response) => {
            info = response;
          },
          () => undefined,
        );
      }
      const { name, version, motd } = info;
      const message = problem?.message ?? motd;
      return {
        state: problem ? (isMintAway(problem) ? 'unreachable' : 'error') : 'reachable',
        checkedAt: heardAt === undefined ? null : new Date(heardAt).toISOString(),
        ...(name ? { name } : {}),
        ...(version ? { version } : {}),
        ...(message ? { message } : {}),
      };
    },
  };
};
