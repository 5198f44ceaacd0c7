import type { Clock } from '../../platform/clock.ts';
import {
  type Mint,
  MintError,
  MOST_SATS,
  type Proof,
  type ProofState,
  type SignedCounter,
} from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';

interface CreditParts {
  store: WalletStore;
  mint: Pick<Mint, 'states'>;
  clock: Clock;
}

/**
 * Returns the states of proofs that a search found. Checks spent ones twice, because the mint can be wrong once,
 * and nobody repeats a search.
 */
export const statesOfFound = async (
  mint: Pick<Mint, 'states'>,
  found: readonly Pick<Proof, 'y'>[],
): Promise<ProofState[]> => {
  if (found.length === 0) return [];
  const ys = found.map(({ y }) => y);
  const states = await mint.states(ys);
  const spent = ys.filter((_, index) => states[index] === 'SPENT');
  if (spent.length === 0) return states;
  const again = await mint.states(spent);
  return states.map((state) => (state === 'SPENT' ? (again.shift() ?? state) : state));
};

/** Why found sats aren't credited. */
export const TOO_MANY_SATS = 'The mint says that it signed more sats than exist.';

/**
 * Credits proofs that the mint reports as unspent and the wallet doesn't hold or counted as spent, and holds the pending
 * ones.
 * `operationOf` runs in the same transaction, writes the operation of `amount` sats and returns its number.
 */
export const creditFound = async (
  { store, mint, clock }: CreditParts,
  found: readonly SignedCounter[],
  operationOf: (amount: number) => number,
): Promise<{ credited: Proof[]; pending: Proof[] }> => {
  const none = { credited: [], pending: [] };
  const { proofs } = store;
  const isHeld = (y: string) => proofs.has(y) && !proofs.isSpent(y);
  const unknown = found.flatMap(({ proof }) => (isHeld(proof.y) ? [] : proof));
  if (unknown.length === 0) return none;
  const states = await statesOfFound(mint, unknown);
  return store.transaction(() => {
    const having = (state: string) => unknown.filter(({ y }, index) => states[index] === state && !isHeld(y));
    const credited = having('UNSPENT');
    // Those that count as spent are checked again anyway.
    const pending = having('PENDING').filter(({ y }) => !proofs.has(y));
    // SECURITY: a mint can claim that it signed any amount.
    if (store.total() + sumOf(credited) + sumOf(pending) > MOST_SATS) {
      throw new MintError('invalid', TOO_MANY_SATS);
    }
    if (credited.length + pending.length === 0) return none;
    const number = operationOf(sumOf(credited));
    const revived = credited.filter(({ y }) => proofs.isSpent(y));
    proofs.revive(
      number,
      revived.map(({ y }) => y),
    );
    proofs.add(
      number,
      credited.filter((proof) => !revived.includes(proof)),
    );
    // These proofs aren't free yet. The proof checks decide later.
    proofs.add(number, pending, { why: 'found', at: clock.now() });
    return { credited, pending };
  });
};
