import type { Keyset, Keysets } from '../mint/mint.ts';
import type { FreeProof } from '../store/proofs-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** Proofs that pay for an amount and for their own swap. */
export interface Selection {
  proofs: FreeProof[];
  fee: number;
  /** What is left for us. */
  change: number;
}

/** The tables selection reads. */
export type SelectionStore = Pick<WalletStore, 'smallestFrom' | 'largestBefore'>;

interface Cursor {
  keyset: Keyset;
  before: { amount: number; y: string };
}

const BEFORE_ALL = { amount: Number.MAX_SAFE_INTEGER, y: '' };

/** Whether the mint may refuse proofs of a keyset because it expired (NUT-02). */
export const isExpired = ({ finalExpiry }: Pick<Keyset, 'finalExpiry'>, nowMs: number): boolean =>
  finalExpiry !== undefined && finalExpiry * 1000 <= nowMs;

/** A proof that costs what it is worth only makes the sum smaller. `above` is the largest amount that is not worth its fee. */
export const dustOf = ({ inputFeePpk }: Pick<Keyset, 'inputFeePpk'>): number =>
  Math.floor(inputFeePpk / 1000);

/** Those that will not last come first; then those that cost least. */
const byUrgency = (a: Keyset, b: Keyset): number =>
  Number(a.active) - Number(b.active) ||
  (a.finalExpiry ?? Number.MAX_SAFE_INTEGER) - (b.finalExpiry ?? Number.MAX_SAFE_INTEGER) ||
  a.inputFeePpk - b.inputFeePpk;

/** Of equal amounts the first: keysets are in the order of urgency. */
const best = (found: (FreeProof | undefined)[], better: (a: number, b: number) => boolean) =>
  found.reduce<FreeProof | undefined>(
    (chosen, each) => (each && (!chosen || better(each.amount, chosen.amount)) ? each : chosen),
    undefined,
  );

/**
 * Chooses free proofs worth `amount` and the fee for them: one that suffices if there is, else the largest and again. Those of
 * inactive keysets are used up first (NUT-02), those of expired ones never. So few inputs are used, and a store of 100,000 proofs
 * costs a few index lookups.
 *
 * Returns undefined when there is not enough on keysets that the mint lists.
 */
export const selectProofs = (
  store: SelectionStore,
  keysets: Pick<Keysets, 'all'>,
  amount: number,
  nowMs: number,
): Selection | undefined => {
  const cursors: Cursor[] = keysets.all
    .filter((keyset) => !isExpired(keyset, nowMs))
    .sort(byUrgency)
    .map((keyset) => ({ keyset, before: BEFORE_ALL }));
  const proofs: FreeProof[] = [];
  let total = 0;
  let ppk = 0;

  /** As `feeOf`, without adding up thousands of proofs again for each one taken. */
  const fee = (morePpk = 0) => Math.ceil((ppk + morePpk) / 1000);
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
        return store.smallestFrom(keyset.id, missing + fee(keyset.inputFeePpk), before);
      }),
      (a, b) => a < b,
    ) ??
    best(
      from
        .map(({ keyset, before }) => ({ keyset, proof: store.largestBefore(keyset.id, before) }))
        .map(({ keyset, proof }) => (proof && proof.amount > dustOf(keyset) ? proof : undefined)),
      (a, b) => a > b,
    );

  const inactive = cursors.filter(({ keyset }) => !keyset.active);
  const active = cursors.filter(({ keyset }) => keyset.active);
  while (total < amount + fee()) {
    const missing = amount - total;
    const next = nextOf(inactive, missing) ?? nextOf(active, missing);
    if (!next) return undefined;
    take(next);
  }
  return { proofs, fee: fee(), change: total - amount - fee() };
};
