import type { MintStatus } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Mint, MintError, type MintInfo } from './mint.ts';

/** Remembers how the mint answered last. */
export interface MintWatch {
  /** The mint, watched. */
  mint: Mint;
  /** How it stands; asks it when nobody has for a while. */
  status(): Promise<Omit<MintStatus, 'mint'>>;
  /** Asks it when it did not answer the last time, and rejects when it still does not. */
  requireMint(): Promise<void>;
  /** How long the mint wants us to leave it alone, in ms; 0 when it does not. Background work waits; receives go first. */
  pausedForMs(): number;
}

const KNOWN_FOR_MS = 15_000;

/** Wraps a mint in a {@link MintWatch}. `onBack` is called when it answers again after it did not. */
export const watchMint = (mint: Mint, clock: Clock, onBack: () => void): MintWatch => {
  let info: MintInfo = {};
  let problem: MintError | undefined;
  let heardAt: number | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  const heard = (now: MintError | undefined) => {
    const isBack = problem !== undefined && now === undefined;
    problem = now;
    heardAt = clock.now();
    if (isBack) onBack();
  };

  /** `asks`: its success shows that the mint is there; others may be answered from what is known of it. */
  const watched = async <T>(asks: boolean, call: () => Promise<T>): Promise<T> => {
    try {
      const value = await call();
      if (asks) heard(undefined);
      return value;
    } catch (error) {
      if (error instanceof MintError) {
        if (error.kind === 'limited') {
          pausedUntil = Math.max(pausedUntil, clock.now() + (error.details.retryAfterMs ?? 0));
        }
        // A mint that says no, or not so often, is there.
        heard(error.kind === 'refused' || error.kind === 'limited' ? undefined : error);
      }
      throw error;
    }
  };

  const wrapped: Mint = {
    ...mint,
    inspect: (token) => watched(false, () => mint.inspect(token)),
    keysets: (refresh) => watched(refresh, () => mint.keysets(refresh)),
    split: (...sum) => watched(false, () => mint.split(...sum)),
    deterministicOutputs: (...from) => watched(false, () => mint.deterministicOutputs(...from)),
    randomOutputs: (...from) => watched(false, () => mint.randomOutputs(...from)),
    swap: (plan) => watched(true, () => mint.swap(plan)),
    states: (ys) => watched(true, () => mint.states(ys)),
    restore: (...outputs) => watched(true, () => mint.restore(...outputs)),
    scan: (words, ranges) => watched(true, () => mint.scan(words, ranges)),
    info: () => watched(true, () => mint.info()),
  };

  return {
    mint: wrapped,
    async requireMint() {
      if (!problem) return;
      await wrapped.keysets(true).catch((error: unknown) => {
        // It is there, and what is about to be asked may go first.
        if (!(error instanceof MintError && error.kind === 'limited')) throw error;
      });
    },
    pausedForMs: () => Math.max(0, pausedUntil - clock.now()),
    async status() {
      if (clock.now() - askedAt > KNOWN_FOR_MS && pausedUntil <= clock.now()) {
        askedAt = clock.now();
        await wrapped.info().then(
          (answer) => {
            info = answer;
          },
          () => undefined,
        );
      }
      const { name, version, motd } = info;
      const unreachable = problem && ['unreachable', 'unanswered'].includes(problem.kind);
      const message = problem?.message ?? motd;
      return {
        state: problem ? (unreachable ? 'unreachable' : 'error') : 'reachable',
        checkedAt: heardAt === undefined ? null : new Date(heardAt).toISOString(),
        ...(name ? { name } : {}),
        ...(version ? { version } : {}),
        ...(message ? { message } : {}),
      };
    },
  };
};
