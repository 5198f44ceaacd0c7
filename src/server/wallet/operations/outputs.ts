import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';
import type { CounterRange, Mint, Output } from '../mint/mint.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** Outputs that the wallet keeps, and the counters they are made from (NUT-13). */
export interface KeptOutputs {
  keysetId: string;
  outputs: Output[];
  /** Undefined for outputs of a wallet whose words are missing: those are random. */
  counters: CounterRange | undefined;
}

/**
 * SECURITY: each output takes processor time. Mints take no more of them at once, and only a forged token of thousands of proofs
 * would need more.
 */
const MOST_OUTPUTS = 1_000;

/**
 * A restore from words ends after this many counters in a row without a signature. Counters that were used for swaps which the mint
 * refused stay unsigned, so the gap is wide.
 */
export const RESTORE_GAP = 1_000;

/** Counters in use that the mint has not signed never reach further than half of what a restore crosses. */
const MOST_UNSIGNED = RESTORE_GAP / 2;

/** Splits an amount into outputs. Throws `token_too_large` for more than a swap can have. */
export const splitAmount = async (mint: Mint, keysetId: string, amount: number): Promise<number[]> => {
  const amounts = await mint.split(keysetId, amount);
  if (amounts.length <= MOST_OUTPUTS) return amounts;
  throw new AppError(
    'token_too_large',
    `This needs ${amounts.length} outputs, but a swap can have only ${MOST_OUTPUTS}. Split it into smaller amounts.`,
  );
};

/** Makes outputs whose proofs stay in the wallet. */
export interface WalletOutputs {
  /** Rejects with `wallet_busy` when too many counters wait for the mint's answer until the deadline. */
  make(keysetId: string, amount: number, deadline: number): Promise<KeptOutputs>;
  /** Part of the transaction that writes the operation: its counters are used from now on. */
  record(kept: KeptOutputs): void;
  /** Outputs that were made are not going to be recorded. */
  discard(kept: KeptOutputs): void;
  /** An operation ended: counters may be spare or signed now. */
  operationEnded(): void;
}

interface WalletOutputsParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  /** Undefined while the words are missing. */
  mnemonic(): string | undefined;
}

/**
 * Makes {@link WalletOutputs}. New counters are handed out in memory at once, so that two operations never share one, and are
 * written with their operation. Spare ones come first, so that what the mint refuses opens no gap; they are taken for good, and a
 * crash right then loses a few numbers.
 */
export const createWalletOutputs = ({ store, mint, clock, mnemonic }: WalletOutputsParts): WalletOutputs => {
  const handedOut = new Map<string, number>();
  /** Ranges that were made and are not written yet. */
  const unwritten = new Set<KeptOutputs>();
  const waiting = new Set<() => void>();
  // Who waits for counters goes before who comes later.
  const queue = createKeyedLock();

  const isAnybodyAtWork = (keysetId: string): boolean =>
    [...unwritten].some((kept) => kept.keysetId === keysetId) ||
    store.pendingOperations().some(({ plan }) => plan?.keysetId === keysetId && plan.counters);

  const operationEnded = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };

  const tryReserve = (keysetId: string, count: number): number | undefined => {
    const reusable = store.takeReusableCounters(keysetId, count);
    if (reusable !== undefined) return reusable;
    const { next, signed } = store.counters(keysetId);
    const start = Math.max(next, handedOut.get(keysetId) ?? 0);
    if (start + count - 1 - signed > Math.max(MOST_UNSIGNED, count)) return undefined;
    handedOut.set(keysetId, start + count);
    return start;
  };

  /**
   * The mint refused so much that no counter is left, and nothing is pending that could still be signed: all of them are used once
   * more. Should the mint have signed one after all, that is found out as any collision is.
   */
  const reuseUnsigned = (keysetId: string) => {
    const { next, signed } = store.counters(keysetId);
    store.transaction(() => {
      store.forgetSpareUpTo(keysetId, next);
      for (const { number, plan } of store.recheckedOperations()) {
        if (plan?.keysetId === keysetId && plan.send.length === 0) store.setRecheck(number, undefined);
      }
      if (next > signed + 1) {
        store.reuseCounters(keysetId, { start: signed + 1, count: next - signed - 1 });
      }
    });
  };

  const reserve = (keysetId: string, count: number, deadline: number): Promise<number> =>
    queue.run(keysetId, async () => {
      for (;;) {
        const start = tryReserve(keysetId, count);
        if (start !== undefined) return start;
        if (!isAnybodyAtWork(keysetId)) {
          reuseUnsigned(keysetId);
          const again = tryReserve(keysetId, count);
          if (again !== undefined) return again;
        }
        const leftMs = deadline - clock.now();
        if (leftMs <= 0) {
          throw new AppError(
            'wallet_busy',
            'Too many tokens are waiting for the mint. Nothing has changed. Try again in a moment.',
            { retryAfterSeconds: 5 },
          );
        }
        await new Promise<void>((wake) => {
          const cancelTimer = clock.after(leftMs, wake);
          waiting.add(() => {
            cancelTimer();
            wake();
          });
        });
      }
    });

  const discard = (kept: KeptOutputs) => {
    if (!unwritten.delete(kept) || !kept.counters) return;
    const { start, count } = kept.counters;
    if (handedOut.get(kept.keysetId) === start + count) handedOut.set(kept.keysetId, start);
    operationEnded();
  };

  return {
    async make(keysetId, amount, deadline) {
      const amounts = amount === 0 ? [] : await splitAmount(mint, keysetId, amount);
      const count = amounts.length;
      const words = mnemonic();
      if (words === undefined) {
        return { keysetId, outputs: await mint.randomOutputs(keysetId, amounts), counters: undefined };
      }
      if (count === 0) return { keysetId, outputs: [], counters: undefined };
      const start = await reserve(keysetId, count, deadline);
      const kept: KeptOutputs = { keysetId, outputs: [], counters: { start, count } };
      unwritten.add(kept);
      try {
        kept.outputs = await mint.deterministicOutputs(keysetId, amounts, words, start);
        return kept;
      } catch (error) {
        discard(kept);
        throw error;
      }
    },
    record(kept) {
      unwritten.delete(kept);
      if (kept.counters) store.advanceCounter(kept.keysetId, kept.counters.start + kept.counters.count);
    },
    discard,
    operationEnded,
  };
};
