import { feeOf } from './attempt.ts';
import type { Keyset, Keysets } from './mint.ts';
import type { FreeProof } from './proofs-table.ts';
import type { WalletStore } from './wallet-store.ts';

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
 * Chooses free proofs worth `amount` and the fee for them: one that suffices if there is, else the largest and again. So few
 * inputs are used, and a store of 100,000 proofs costs a few index lookups.
 *
 * Returns undefined when there is not enough on keysets that the mint lists.
 */
export const selectProofs = (
  store: SelectionStore,
  keysets: Keysets,
  amount: number,
): Selection | undefined => {
  const cursors: Cursor[] = [...keysets.all]
    .sort(byUrgency)
    .map((keyset) => ({ keyset, before: BEFORE_ALL }));
  const proofs: FreeProof[] = [];
  let total = 0;

  const fee = (more: FreeProof[] = []) => feeOf([...proofs, ...more], keysets) ?? 0;
  const take = (proof: FreeProof) => {
    proofs.push(proof);
    total += proof.amount;
    for (const cursor of cursors) {
      if (cursor.keyset.id === proof.id) cursor.before = { amount: proof.amount, y: proof.y };
    }
  };

  while (total < amount + fee()) {
    const missing = amount - total;
    const sufficient = best(
      cursors.map(({ keyset, before }) => {
        const cost = fee([{ id: keyset.id, y: '', amount: 0 }]);
        return store.smallestFrom(keyset.id, missing + cost, before);
      }),
      (a, b) => a < b,
    );
    const next =
      sufficient ??
      best(
        cursors
          // A proof that costs what it is worth only makes the sum larger.
          .map(({ keyset, before }) => store.largestBefore(keyset.id, before))
          .filter((proof, index) => proof && proof.amount * 1000 > (cursors[index]?.keyset.inputFeePpk ?? 0)),
        (a, b) => a > b,
      );
    if (!next) return undefined;
    take(next);
  }
  return { proofs, fee: fee(), change: total - amount - fee() };
};
