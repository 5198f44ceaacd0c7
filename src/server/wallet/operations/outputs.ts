import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';
import { type CounterRange, type Mint, MintError, type Output, type OutputKeyset } from '../mint/mint.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** Outputs whose proofs stay in the wallet, and the counters they're derived from (NUT-13). */
export interface KeptOutputs {
  keysetId: string;
  outputs: Output[];
  /**
   * Undefined if there are no outputs, or for random ones. A wallet uses those while its words are missing, and for a token
   * that finds no counter left.
   */
  counters: CounterRange | undefined;
  /** True if the counters were those of a refused swap, so that the mint may sign them for that one yet. */
  isReused: boolean;
}

/**
 * SECURITY: each output takes processor time, and mints accept no more at once. Only a forged token with thousands of
 * proofs would need more.
 */
const MOST_OUTPUTS = 1_000;

/**
 * A restore from words ends after this many consecutive unsigned counters. Counters of refused swaps stay unsigned,
 * so the gap is wide.
 */
export const RESTORE_GAP = 1_000;

/** Used but unsigned counters of outside tokens fill at most half of the gap that a restore crosses. */
export const MOST_UNSIGNED = RESTORE_GAP / 2;

/** The limit for swaps that the mint will surely sign. Once it has, none of the counters before them count. */
const MOST_UNSIGNED_IF_SURE = RESTORE_GAP - 100;

/**
 * From here on, tokens that are pending at the mint get no counters. SECURITY: strangers can keep tokens pending for days,
 * with a Lightning payment that they don't complete, and would otherwise take the counters of everybody else.
 */
const CROWDED = MOST_UNSIGNED / 2;

/** How long a token waits for counters that others may give back, and then again for new ones. */
const LONGEST_WAIT_MS = 3_000;

/** When to swap an own proof again for new counters, after that failed. */
const SIGN_AGAIN_MS = 60_000;

/**
 * Tokens with random outputs that wait for the mint. SECURITY: nothing else limits them at a mint that doesn't respond, and
 * recovery tries each of them again.
 */
const MOST_RANDOM = 20;

/** The metadata key of the proofs that backup words can't restore. */
const RANDOM_PROOFS = 'random_proofs';

type ProofMarks = Pick<WalletStore, 'metadata' | 'proofs'>;

/** Returns the Ys of the wallet's proofs with random secrets, which backup words can't restore. */
export const randomProofs = ({ metadata, proofs }: ProofMarks): string[] => {
  const ys: string[] = JSON.parse(metadata.get(RANDOM_PROOFS) ?? '[]');
  return ys.filter((y) => proofs.has(y) && !proofs.isSpent(y));
};

/** Notes that these new proofs have random secrets. Call it in the transaction that adds them. */
export const noteRandomProofs = (store: ProofMarks, ys: readonly string[]): void =>
  void store.metadata.set(RANDOM_PROOFS, JSON.stringify([...randomProofs(store), ...ys]));

/**
 * Splits an amount into the fewest outputs of a keyset, largest first. Amounts in sats. Throws `token_too_large` if a
 * swap can't have that many, and {@link MintError} `invalid` if the keyset has no keys for the rest.
 */
export const splitAmount = ({ id, amounts }: OutputKeyset, amount: number): number[] => {
  const counts: [part: number, count: number][] = [];
  let rest = amount;
  let total = 0;
  for (const part of amounts) {
    const count = Math.floor(rest / part);
    rest -= count * part;
    total += count;
    counts.push([part, count]);
  }
  if (rest > 0) {
    throw new MintError('invalid', `The mint’s keyset ${id} has no keys that add up to ${amount}.`);
  }
  // SECURITY: count before creating a list of that length.
  if (total > MOST_OUTPUTS) {
    throw new AppError(
      'token_too_large',
      `This needs ${total} outputs, but a swap can have only ${MOST_OUTPUTS}. Split the amount into smaller ones.`,
    );
  }
  return counts.flatMap(([part, count]) => Array<number>(count).fill(part));
};

const busy = () =>
  new AppError(
    'wallet_busy',
    'Too many tokens are waiting for the mint. Nothing has changed. Try again in a moment.',
    { retryAfterSeconds: 5 },
  );

/** Creates outputs whose proofs stay in the wallet. */
export interface WalletOutputs {
  /**
   * Creates random outputs if too many counters wait for the mint's response. For proofs that the mint signed and calls
   * unspent, such as the wallet's own, set `isSure`. They have counters left, and reject with `wallet_busy` if those are
   * still used up at the deadline.
   */
  make(keyset: OutputKeyset, amount: number, deadline: number, isSure?: boolean): Promise<KeptOutputs>;
  /**
   * Returns whether many of a keyset's counters wait for the mint's response, so that a token that can't be redeemed now
   * must not get any.
   */
  isCrowded(keysetId: string): boolean;
  /** Marks the counters as used. Call it in the transaction that writes the operation. */
  record(kept: KeptOutputs): void;
  /** Drops outputs that won't be recorded. */
  discard(kept: KeptOutputs): void;
  /** Call after an operation ends, because it may have freed counters. */
  operationEnded(): void;
}

interface WalletOutputsParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  /** Undefined while the words are missing. */
  mnemonic(): string | undefined;
  /** Has the mint sign new counters, by a swap of an own proof. Resolves with false if there is none. */
  signNewCounters(): Promise<boolean>;
}

/**
 * Creates {@link WalletOutputs}. It assigns new counters in memory, so that two operations never share one. The
 * operation's transaction stores them.
 *
 * Reusable counters go first, so that refused swaps leave no gap. They're removed at once, so a crash right
 * afterwards loses a few.
 */
export const createWalletOutputs = ({
  store,
  mint,
  clock,
  mnemonic,
  signNewCounters,
}: WalletOutputsParts): WalletOutputs => {
  const handedOut = new Map<string, number>();
  /** Outputs whose operation isn't written yet. */
  const unwritten = new Set<KeptOutputs>();
  const waiting = new Set<() => void>();
  const queue = createKeyedLock();

  const isAnybodyAtWork = (keysetId: string): boolean =>
    [...unwritten].some((kept) => kept.keysetId === keysetId && kept.counters) ||
    store.operations.pending().some(({ plan }) => plan?.keysetId === keysetId && plan.counters);

  const operationEnded = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  /** Returns the next counter to hand out, and how many before it the mint hasn't signed. */
  const nextOf = (keysetId: string): { start: number; unsigned: number } => {
    const { next, signed } = store.counters.of(keysetId);
    const start = Math.max(next, handedOut.get(keysetId) ?? 0);
    return { start, unsigned: start - 1 - signed };
  };

  type Reserved = Pick<KeptOutputs, 'isReused'> & { start: number };

  const tryReserve = (keysetId: string, count: number, isSure: boolean): Reserved | undefined => {
    const reusable = store.counters.takeReusable(keysetId, count);
    if (reusable !== undefined) return { start: reusable, isReused: true };
    const { start, unsigned } = nextOf(keysetId);
    const most = isSure ? MOST_UNSIGNED_IF_SURE : MOST_UNSIGNED;
    // An own swap may need more, and the mint signs it.
    if (unsigned + count > (isSure ? Math.max(most, count) : most)) return undefined;
    handedOut.set(keysetId, start + count);
    return { start, isReused: false };
  };

  /** Waits until a swap ends, or until a time, in milliseconds since 1970. */
  const waitUntil = (at: number) =>
    new Promise<void>((wake) => {
      const cancelTimer = clock.after(at - clock.now(), wake);
      waiting.add(() => {
        cancelTimer();
        wake();
      });
    });

  /** Waits until there are counters. Returns undefined at the deadline, or when nobody can give any back. */
  const waitForCounters = async (
    keysetId: string,
    count: number,
    deadline: number,
    isSure: boolean,
  ): Promise<Reserved | undefined> => {
    for (;;) {
      const reserved = tryReserve(keysetId, count, isSure);
      if (reserved || clock.now() >= deadline || !isAnybodyAtWork(keysetId)) return reserved;
      await waitUntil(deadline);
    }
  };

  let signing: Promise<void> | undefined;
  let signFailedAt = Number.NEGATIVE_INFINITY;
  const signSoon = () => {
    if (signing || Math.abs(clock.now() - signFailedAt) < SIGN_AGAIN_MS) return;
    signing = signNewCounters()
      .catch(() => false)
      .then((isSigned) => {
        if (!isSigned) signFailedAt = clock.now();
        signing = undefined;
        operationEnded();
      });
  };

  /**
   * SECURITY: the counters of a swap that isn't finally refused stay its own, because the mint may still report that it
   * carried it out. Forged tokens can use up all others. Then a swap of an own proof makes new ones. Without an own proof,
   * the outputs must be random.
   */
  const reserveForToken = async (
    keysetId: string,
    count: number,
    arrivedAt: number,
    deadline: number,
  ): Promise<Reserved | undefined> => {
    const soon = Math.min(deadline, arrivedAt + LONGEST_WAIT_MS);
    const first = await waitForCounters(keysetId, count, soon, false);
    if (first || count > MOST_UNSIGNED) return first;
    signSoon();
    const end = Math.min(deadline, arrivedAt + 2 * LONGEST_WAIT_MS);
    while (signing && clock.now() < end) await waitUntil(end);
    return tryReserve(keysetId, count, false);
  };

  /** Creates outputs that take no counter. */
  const makeRandom = async (keysetId: string, amounts: number[]): Promise<KeptOutputs> => {
    const kept: KeptOutputs = { keysetId, outputs: [], counters: undefined, isReused: false };
    unwritten.add(kept);
    try {
      kept.outputs = await mint.randomOutputs(keysetId, amounts);
      return kept;
    } catch (error) {
      discard(kept);
      throw error;
    }
  };

  const randomTurns = createKeyedLock();

  const hasRoomForRandom = (): boolean => {
    const written = store.operations
      .pending()
      .filter(({ kind, plan }) => kind === 'receive' && !plan.counters);
    return written.length + [...unwritten].filter(({ counters }) => !counters).length < MOST_RANDOM;
  };

  /**
   * Creates random outputs once there's room for them, first come, first served. Rejects with `wallet_busy` at the deadline.
   * SECURITY: forged tokens can take all places at once, but their swaps end within seconds.
   */
  const makeRandomInTurn = (keysetId: string, amounts: number[], deadline: number): Promise<KeptOutputs> =>
    new Promise((resolve, reject) => {
      const takeTurn = async () => {
        while (!hasRoomForRandom()) {
          if (clock.now() >= deadline) throw busy();
          await waitUntil(deadline);
        }
        // The outputs take their place before the next turn, and are created after it.
        makeRandom(keysetId, amounts).then(resolve, reject);
      };
      randomTurns.run('random', takeTurn).catch(reject);
    });

  const discard = (kept: KeptOutputs) => {
    if (!unwritten.delete(kept)) return;
    if (!kept.counters) return operationEnded();
    const { start, count } = kept.counters;
    const { keysetId, counters } = kept;
    if (kept.isReused) store.transaction(() => store.counters.reuse(keysetId, counters));
    else if (handedOut.get(kept.keysetId) === start + count) handedOut.set(kept.keysetId, start);
    operationEnded();
  };

  return {
    async make(keyset, amount, deadline, isSure = false) {
      const { id: keysetId } = keyset;
      const amounts = splitAmount(keyset, amount);
      const count = amounts.length;
      const words = mnemonic();
      if (count === 0) return { keysetId, outputs: [], counters: undefined, isReused: false };
      if (words === undefined) return makeRandom(keysetId, amounts);
      const arrivedAt = clock.now();
      // Requests get counters in order of arrival. Sure ones make way for the others, so they don't wait.
      const reserved = await (isSure
        ? waitForCounters(keysetId, count, deadline, true)
        : queue.run(keysetId, () => reserveForToken(keysetId, count, arrivedAt, deadline)));
      if (!reserved) {
        if (isSure) throw busy();
        return makeRandomInTurn(keysetId, amounts, deadline);
      }
      const { start, isReused } = reserved;
      const kept: KeptOutputs = { keysetId, outputs: [], counters: { start, count }, isReused };
      unwritten.add(kept);
      try {
        kept.outputs = await mint.deterministicOutputs(keysetId, amounts, words, start);
        return kept;
      } catch (error) {
        discard(kept);
        throw error;
      }
    },
    isCrowded: (keysetId) => nextOf(keysetId).unsigned >= CROWDED,
    record(kept) {
      unwritten.delete(kept);
      if (kept.counters) store.counters.advance(kept.keysetId, kept.counters.start + kept.counters.count);
    },
    discard,
    operationEnded,
  };
};
