import { AppError } from '../platform/app-error.ts';
import type { CounterRange, Mint, Output } from './mint.ts';
import type { WalletStore } from './wallet-store.ts';

/** Deterministic outputs (NUT-13) and the counters they are made from. */
export interface KeptOutputs {
  keysetId: string;
  outputs: Output[];
  counters: CounterRange;
  /** What the keyset's counter must be set to in the transaction that writes the operation. */
  nextCounter: number;
}

/**
 * SECURITY: each output takes milliseconds. Mints take no more of them at once, and only a forged token of thousands of proofs would
 * need more.
 */
const MOST_OUTPUTS = 1_000;

/** Splits an amount into outputs. Throws `token_too_large` for more than a swap can have. */
export const splitAmount = async (mint: Mint, keysetId: string, amount: number): Promise<number[]> => {
  const amounts = await mint.split(keysetId, amount);
  if (amounts.length <= MOST_OUTPUTS) return amounts;
  throw new AppError(
    'token_too_large',
    `This would need ${amounts.length} outputs, and a swap can have ${MOST_OUTPUTS}; divide it.`,
  );
};

/** Makes outputs whose proofs stay in the wallet. */
export type MakeKeptOutputs = (keysetId: string, amount: number) => Promise<KeptOutputs>;

/**
 * Makes a {@link MakeKeptOutputs}. New counters are handed out in memory at once, so that two operations never share one, and are
 * written with their operation; those of an operation that was never written were never sent and may be used again. Spare ones
 * come first, so that what the mint refuses opens no gap; they are taken for good, and a crash right then loses a few numbers.
 */
export const createKeptOutputs = (
  store: WalletStore,
  mint: Mint,
  mnemonic: () => string,
): MakeKeptOutputs => {
  const handedOut = new Map<string, number>();

  const reserve = (keysetId: string, count: number): number => {
    const spare = count === 0 ? undefined : store.takeSpareCounters(keysetId, count);
    if (spare !== undefined) return spare;
    const start = Math.max(store.counter(keysetId), handedOut.get(keysetId) ?? 0);
    handedOut.set(keysetId, start + count);
    return start;
  };

  return async (keysetId, amount) => {
    const amounts = amount === 0 ? [] : await splitAmount(mint, keysetId, amount);
    const count = amounts.length;
    const start = reserve(keysetId, count);
    const outputs = count === 0 ? [] : await mint.deterministicOutputs(keysetId, amounts, mnemonic(), start);
    return { keysetId, outputs, counters: { start, count }, nextCounter: start + count };
  };
};
