import type { MintStatus } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Mint, MintError, type MintInfo } from './mint.ts';
import { callMint, createMintMethods, type MintMethod } from './mint-thread.ts';

/** Tracks whether the mint is reachable. */
export interface MintWatch {
  /** The mint, whose requests are tracked. */
  mint: Mint;
  /** Returns its status. Queries the mint unless a recent request did. */
  status(): Promise<Omit<MintStatus, 'mint'>>;
  /** Rejects while the mint limits swaps. Queries it again if it didn't respond last time, and rejects if it still doesn't. */
  requireMint(): Promise<void>;
  /** Returns how long the mint wants us to wait, in ms, or 0. Background work waits. Receives don't, unless swaps are limited. */
  pausedForMs(): number;
  /** Returns whether the mint limited a request in the last hour. */
  isLimiting(): boolean;
}

const KNOWN_FOR_MS = 15_000;
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
  const swapsPause = createPause(clock);
  let limitedAt = Number.NEGATIVE_INFINITY;

  const heard = (now: MintError | undefined) => {
    const isBack = problem !== undefined && now === undefined;
    problem = now;
    heardAt = clock.now();
    onHeard(!isMintAway(now));
    if (isBack) onBack();
  };

  const watched = createMintMethods(async ({ method, parameters }) => {
    try {
      const value = await callMint(mint, { method, parameters });
      if (method === 'keysets' ? parameters[0] === true : ASKS_THE_MINT.has(method)) heard(undefined);
      return value;
    } catch (error) {
      if (error instanceof MintError) {
        if (error.kind === 'limited') {
          const { retryAfterMs = 0, isUnsent } = error.details;
          pause.extend(retryAfterMs);
          limitedAt = clock.now();
          if (method === 'swap' && !isUnsent) swapsPause.extend(retryAfterMs);
        }
        // A mint that refuses or limits a request is reachable.
        heard(error.kind === 'refused' || error.kind === 'limited' ? undefined : error);
      }
      throw error;
    }
  });
  const wrapped: Mint = { ...watched, close: mint.close };

  return {
    mint: wrapped,
    async requireMint() {
      const pauseMs = swapsPause.leftMs();
      // Nutshell's count resets only after a minute without requests, so each one would prolong the pause.
      if (pauseMs > 0)
        throw new MintError('limited', 'The mint is limiting swaps.', { retryAfterMs: pauseMs });
      if (!problem) return;
      await wrapped.keysets(true).catch((error: unknown) => {
        // The mint is reachable, and the following request takes precedence.
        if (!(error instanceof MintError && error.kind === 'limited')) throw error;
      });
    },
    pausedForMs: pause.leftMs,
    isLimiting: () => clock.now() - limitedAt < HOUR_MS,
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
