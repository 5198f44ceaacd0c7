import type { Keyset, Keysets, Proof } from '../mint/mint.ts';
import type { FreeProof } from '../store/proofs-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** Proofs that cover an amount and the fee of their own swap. */
export interface Selection {
  proofs: FreeProof[];
  fee: number;
  /** The sats that leave the wallet, without the fee. */
  amount: number;
  /** The sats that stay in the wallet. */
  change: number;
}

/** The store functions that the selection uses. */
type SelectionStore = { proofs: Pick<WalletStore['proofs'], 'smallestFrom' | 'largestBefore'> };

interface Cursor {
  keyset: Keyset;
  before: { amount: number; y: string };
}

const BEFORE_ALL = { amount: Number.MAX_SAFE_INTEGER, y: '' };

/** Returns whether the mint may refuse a keyset's proofs because it expired (NUT-02). */
export const isExpired = ({ finalExpiry }: Pick<Keyset, 'finalExpiry'>, nowMs: number): boolean =>
  finalExpiry !== undefined && finalExpiry * 1000 <= nowMs;

/**
 * Returns the mint's fee for these inputs, in sats (NUT-02). Undefined if the mint doesn't list one of their keysets.
 */
export const feeOf = (
  proofs: readonly Pick<Proof, 'id'>[],
  { all }: Pick<Keysets, 'all'>,
): number | undefined => {
  const ppk = new Map(all.map((keyset) => [keyset.id, keyset.inputFeePpk]));
  let sum = 0;
  for (const { id } of proofs) {
    const fee = ppk.get(id);
    if (fee === undefined) return undefined;
    sum += fee;
  }
  return Math.ceil(sum / 1000);
};

/** Returns the largest amount, in sats, that isn't worth its own fee. Such a proof adds nothing to a sum. */
export const dustOf = ({ inputFeePpk }: Pick<Keyset, 'inputFeePpk'>): number =>
  Math.floor(inputFeePpk / 1000);

/** Sorts inactive keysets first, then those that expire soonest, then those with the lowest fee. */
const byUrgency = (a: Keyset, b: Keyset): number =>
  Number(a.active) - Number(b.active) ||
  (a.finalExpiry ?? Number.MAX_SAFE_INTEGER) - (b.finalExpiry ?? Number.MAX_SAFE_INTEGER) ||
  a.inputFeePpk - b.inputFeePpk;

/** Picks the first of several equal amounts, because the keysets are sorted by urgency. */
const best = (found: (FreeProof | undefined)[], better: (a: number, b: number) => boolean) =>
  found.reduce<FreeProof | undefined>(
    (chosen, each) => (each && (!chosen || better(each.amount, chosen.amount)) ? each : chosen),
    undefined,
  );

/**
 * Selects free proofs that cover `amount` and their own fee. Picks the smallest one that suffices, or else the largest
 * one, and repeats. Uses up inactive keysets first (NUT-02), and never uses expired ones. So a send needs few inputs,
 * and 100,000 proofs cost only a few index lookups.
 *
 * With `isFeeIncluded`, the fee comes out of `amount`.
 *
 * Returns undefined if the keysets that the mint lists don't hold enough.
 */
export const selectProofs = (
  store: SelectionStore,
  keysets: Pick<Keysets, 'all'>,
  amount: number,
  nowMs: number,
  isFeeIncluded = false,
): Selection | undefined => {
  const cursors: Cursor[] = keysets.all
    .filter((keyset) => !isExpired(keyset, nowMs))
    .sort(byUrgency)
    .map((keyset) => ({ keyset, before: BEFORE_ALL }));
  const proofs: FreeProof[] = [];
  let total = 0;
  let ppk = 0;

  /** Returns the same as `feeOf`, but without adding up thousands of proofs again for each selected one. */
  const fee = (morePpk = 0) => Math.ceil((ppk + morePpk) / 1000);
  /** Returns the fee that the proofs must cover in addition to the amount. */
  const extra = (morePpk = 0) => (isFeeIncluded ? 0 : fee(morePpk));
  const take = (proof: FreeProof) => {
    proofs.push(proof);
    total += proof.amount;
    for (const cursor of cursors) {
      if (cursor.keyset.id !== proof.id) continue;
      ppk += cursor.keyset.inputFeePpk;
      cursor.before = { amount: proof.amount, y: proof.y };
    }
  };

  const nextOf = (from: readonly Cursor[], missing: number): FreeProof | undefined =>
    best(
      from.map(({ keyset, before }) => {
        return store.proofs.smallestFrom(keyset.id, missing + extra(keyset.inputFeePpk), before);
      }),
      (a, b) => a < b,
    ) ??
    best(
      from
        .map(({ keyset, before }) => ({ keyset, proof: store.proofs.largestBefore(keyset.id, before) }))
        .map(({ keyset, proof }) =>
          proof && (isFeeIncluded || proof.amount > dustOf(keyset)) ? proof : undefined,
        ),
      (a, b) => a > b,
    );

  const inactive = cursors.filter(({ keyset }) => !keyset.active);
  const active = cursors.filter(({ keyset }) => keyset.active);
  while (total < amount + extra()) {
    const missing = amount - total;
    const next = nextOf(inactive, missing) ?? nextOf(active, missing);
    if (!next) return undefined;
    take(next);
  }
  return {
    proofs,
    fee: fee(),
    amount: amount - fee() + extra(),
    change: total - amount - extra(),
  };
};
