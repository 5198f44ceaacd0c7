import type { Keysets, Proof } from '../mint/mint.ts';

/**
 * The mint's fee for these inputs, in sat (NUT-02). Undefined if the mint doesn't list one of their keysets.
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
