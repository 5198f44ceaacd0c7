import { type Mint, MintError, RETRY_AFTER_UNNAMED_MS, type SignedCounter } from '../mint/mint.ts';
import type { RestorePosition } from '../store/counters-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { RESTORE_GAP } from './outputs.ts';
import { spokenFor, without } from './signed-counters.ts';

/** Dependencies of a search. */
interface SearchParts {
  store: WalletStore;
  mint: Mint;
  /** Resolves early when the wallet closes. */
  wait(ms: number): Promise<void>;
  isStopped(): boolean;
}

/** Counters per step (NUT-13 suggests 100), and per step at a mint that limits our requests. */
const STEP = 100;
const CAREFUL_STEP = 50;

/** How many steps to request before the current one is written, so that the mint works while we do. */
const AHEAD = 2;

/**
 * SECURITY: a mint that signs every counter it is asked about would keep a search going forever. How far beyond
 * the last counter that the wallet used a search goes.
 */
export const MOST_SEARCHED = 10_000;

/** The same for words that this wallet never used, of which it knows no last counter. */
export const MOST_SEARCHED_OF_OTHERS = 100_000;

/** The search of a keyset ended at its limit. Another one continues at `position`. */
export class SearchLimitError extends Error {
  readonly position: RestorePosition;

  constructor(position: RestorePosition) {
    super(
      `The search stopped at counter ${position.next}, and the mint may have signed more. Search again to continue.`,
    );
    this.position = position;
  }
}

/** How often in a row the mint may fail to answer before the search gives up. It can resume later. */
const MOST_FAILURES = 4;
const FIRST_WAIT_MS = 1_000;

/** Retries a task, and waits for the mint as long as it asks. */
export const insist = async <T>(
  { wait, isStopped }: Pick<SearchParts, 'wait' | 'isStopped'>,
  task: () => Promise<T>,
  { onLimited, mostFailures = MOST_FAILURES }: { onLimited?: () => void; mostFailures?: number } = {},
): Promise<T> => {
  let failures = 0;
  let waitMs = FIRST_WAIT_MS;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof MintError) || isStopped()) throw error;
      const isLimited = error.kind === 'limited';
      const isPassing = isLimited || error.kind === 'unanswered' || error.kind === 'unreachable';
      if (!isPassing || (!isLimited && ++failures >= mostFailures)) throw error;
      if (isLimited) onLimited?.();
      const wishMs = error.details.retryAfterMs;
      const isNamed = wishMs !== undefined && wishMs !== RETRY_AFTER_UNNAMED_MS;
      await wait(isNamed ? Math.max(wishMs, 250) : waitMs);
      if (isStopped()) throw error;
      waitMs = Math.min(waitMs * 2, RETRY_AFTER_UNNAMED_MS);
    }
  }
};

/**
 * Searches the counters of a keyset from a position, until 1,000 in a row are unsigned (NUT-13). Passes the
 * found proofs of each step to `onStep`, with the position that is reached once they are written.
 *
 * Rejects with `MintError` if the keyset can't be searched, or the mint doesn't answer for a while, and with
 * {@link SearchLimitError} at the counter `limit`.
 */
export const searchKeyset = async (
  parts: SearchParts,
  words: string,
  from: RestorePosition,
  limit: number,
  onStep: (found: SignedCounter[], reached: RestorePosition) => Promise<void>,
): Promise<void> => {
  const { store, mint } = parts;
  const { keysetId } = from;
  let isCareful = false;
  let asked = from.next;
  let position = from;

  const onLimited = () => {
    isCareful = true;
  };

  const ask = () => {
    const step = { start: asked, count: Math.min(isCareful ? CAREFUL_STEP : STEP, limit - asked) };
    asked += step.count;
    // A pending operation credits what belongs to its own counters.
    const ranges = without(step, spokenFor(store, keysetId));
    const found = insist(
      parts,
      () =>
        mint.scan(
          words,
          ranges.map((range) => ({ keysetId, ...range })),
        ),
      { onLimited },
    );
    // This may be awaited late, so avoid an unhandled rejection.
    found.catch(() => undefined);
    return { end: asked, found };
  };

  const steps = [ask()];
  for (let step = steps.shift(); step; step = steps.shift()) {
    const mayAsk = () => asked < Math.min(limit, position.lastSigned + 1 + RESTORE_GAP);
    while (!isCareful && steps.length < AHEAD && mayAsk()) {
      steps.push(ask());
    }
    const found = await step.found;
    if (parts.isStopped()) throw new MintError('unanswered', 'The search was interrupted.');
    const lastSigned = found.reduce((last, { counter }) => Math.max(last, counter), position.lastSigned);
    const isLast = steps.length === 0 && step.end >= lastSigned + 1 + RESTORE_GAP;
    const isAtLimit = steps.length === 0 && !isLast && asked >= limit;
    position = { keysetId, next: step.end, lastSigned, done: isLast || isAtLimit };
    const reached = position;
    await insist(parts, () => onStep(found, reached), { onLimited });
    if (isAtLimit) throw new SearchLimitError({ ...position, done: false });
    if (steps.length === 0 && !isLast) steps.push(ask());
  }
};
