import type { MintStatus } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import { type Mint, MintError, type MintInfo } from './mint.ts';

/** Remembers how the mint answered last. */
export interface MintWatch {
  /** The mint, watched. */
  mint: Mint;
  /** How it stands; asks it when nobody has for a while. */
  status(): Promise<Omit<MintStatus, 'mint'>>;
  /** Asks it when it did not answer the last time, and rejects when it still does not. */
  requireMint(): Promise<void>;
}

const KNOWN_FOR_MS = 15_000;

/** Calls whose success shows that the mint is there; the others may be answered from what is known of it. */
const ASKS_THE_MINT: readonly string[] = ['swap', 'states', 'restore', 'scan', 'info'];

/** Wraps a mint in a {@link MintWatch}. `onBack` is called when it answers again after it did not. */
export const watchMint = (mint: Mint, clock: Clock, onBack: () => void): MintWatch => {
  let info: MintInfo = {};
  let problem: MintError | undefined;
  let heardAt: number | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  const heard = (now: MintError | undefined) => {
    const isBack = problem !== undefined && now === undefined;
    problem = now;
    heardAt = clock.now();
    if (isBack) onBack();
  };

  const watched = async (asks: boolean, call: () => Promise<unknown>): Promise<unknown> => {
    try {
      const value = await call();
      if (asks) heard(undefined);
      return value;
    } catch (error) {
      // A mint that says no is there.
      if (error instanceof MintError) heard(error.kind === 'refused' ? undefined : error);
      throw error;
    }
  };

  const wrapped = Object.fromEntries(
    Object.entries(mint).map(([name, method]) => [
      name,
      (...parameters: unknown[]) => {
        const asks = ASKS_THE_MINT.includes(name) || (name === 'keysets' && parameters[0] === true);
        return watched(asks, () => method(...parameters));
      },
    ]),
  ) as unknown as Mint;

  return {
    mint: wrapped,
    async requireMint() {
      if (problem) await wrapped.keysets(true);
    },
    async status() {
      if (clock.now() - askedAt > KNOWN_FOR_MS) {
        askedAt = clock.now();
        await wrapped.info().then(
          (told) => {
            info = told;
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
