import type { Caller } from '../platform/caller.ts';
import type { Owner } from './store/charges-table.ts';
import type { Operation } from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';

/** Returns the owner of what a caller opens: its key's id, `operator`, or null without a key. */
export const ownerOf = (caller: Caller): Owner => {
  if (caller.kind === 'agent') return caller.key.id;
  return caller.kind === 'operator' ? 'operator' : null;
};

/**
 * Returns whether a caller can use something that it named. SECURITY: a key never uses what was opened without one, and
 * the other way round. Without a key, the name itself is the proof, so it must be a secret such as a charge's id.
 */
export const owns = (caller: Caller, owner: Owner): boolean =>
  caller.kind === 'operator' || ownerOf(caller) === owner;

/**
 * Returns whether a caller can read an operation whose id it knows. SECURITY: only the operator and the key that made it
 * read what moves sats out, and a customer's payment is part of its charge. Anybody can read another receive.
 */
export const mayReadOperation = (
  caller: Caller,
  { number, kind }: Operation,
  { charges, keyUse }: Pick<WalletStore, 'charges' | 'keyUse'>,
): boolean => {
  if (caller.kind === 'operator') return true;
  if (kind !== 'receive') return caller.kind === 'agent' && keyUse.keyOf(number) === caller.key.id;
  const payment = charges.payment(number);
  const charge = payment && charges.get(payment.charge);
  return charge === undefined || owns(caller, charge.owner);
};
