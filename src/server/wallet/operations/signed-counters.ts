import {
  type CounterRange,
  type Mint,
  MintError,
  MOST_SATS,
  type Proof,
  type SignedCounter,
} from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';

const endOf = ({ start, count }: CounterRange): number => start + count;

/** The parts of a range that are left without the taken ranges. */
export const without = (range: CounterRange, taken: readonly CounterRange[]): CounterRange[] =>
  taken.reduce<CounterRange[]>(
    (left, hole) =>
      left.flatMap((each) => [
        ...(each.start < hole.start
          ? [{ start: each.start, count: Math.min(endOf(each), hole.start) - each.start }]
          : []),
        ...(endOf(each) > endOf(hole)
          ? [
              {
                start: Math.max(each.start, endOf(hole)),
                count: endOf(each) - Math.max(each.start, endOf(hole)),
              },
            ]
          : []),
      ]),
    [range],
  );

/**
 * The counters of pending operations, which own their signatures. Failed operations with a recheck are left
 * out: another copy may have used their counters, and the ledger never credits a proof twice.
 */
export const spokenFor = (store: WalletStore, keysetId: string): CounterRange[] =>
  store.operations
    .pending()
    .flatMap((operation) =>
      [operation.plan, ...store.operations.oldPlans(operation.number).map(({ plan }) => plan)].flatMap(
        (plan) =>
          plan?.keysetId === keysetId && plan.counters && plan.counters.count > 0 ? [plan.counters] : [],
      ),
    );

/** The last signed counter of each keyset. */
export const lastByKeyset = (found: readonly SignedCounter[]): Map<string, number> => {
  const last = new Map<string, number>();
  for (const { keysetId, counter } of found) {
    last.set(keysetId, Math.max(counter, last.get(keysetId) ?? -1));
  }
  return last;
};

/** Why found sats are not credited. */
export const TOO_MANY_SATS = 'The mint says that it signed more sats than there are bitcoin.';

/**
 * Credits proofs that the mint reports as unspent and the wallet doesn't hold. Returns their value in sat.
 */
export const creditFound = async (
  { store, mint }: { store: WalletStore; mint: Pick<Mint, 'states'> },
  proofs: readonly Proof[],
  write: (credited: Proof[], pending: Proof[]) => void,
): Promise<number> => {
  const unknown = proofs.filter(({ y }) => !store.proofs.has(y));
  if (unknown.length === 0) return 0;
  const states = await mint.states(unknown.map(({ y }) => y));
  let credited = 0;
  store.transaction(() => {
    const having = (state: string) =>
      unknown.filter(({ y }, index) => states[index] === state && !store.proofs.has(y));
    const unspent = having('UNSPENT');
    const pending = having('PENDING');
    // SECURITY: a mint can claim to have signed any amount.
    if (store.total() + sumOf(unspent) + sumOf(pending) > MOST_SATS) {
      throw new MintError('invalid', TOO_MANY_SATS);
    }
    if (unspent.length + pending.length > 0) write(unspent, pending);
    credited = sumOf(unspent);
  });
  return credited;
};
