import {
  Amount,
  type Proof as CashuProof,
  getSecretKind,
  isHTLCSpendAuthorised,
  isP2PKSpendAuthorised,
} from '@cashu/cashu-ts';
import type { Proof } from './mint.ts';
import type { TokenProof } from './token-text.ts';

/** Converts a proof to cashu-ts's format. */
export const toCashu = ({ id, amount, secret, C, witness, dleq }: Omit<Proof, 'y'>): CashuProof => ({
  id,
  amount: Amount.from(amount),
  secret,
  C,
  ...(witness === undefined ? {} : { witness }),
  ...(dleq === undefined ? {} : { dleq }),
});

/**
 * Matches a secret that may have conditions, which is JSON (NUT-10). cashu-ts is slow to detect that an ordinary
 * secret has none.
 */
const MAY_HAVE_CONDITIONS = /^\s*\[/;

/**
 * Returns whether a proof needs a key we don't have. False if the lock has expired or the sender has opened it.
 */
export const isLocked = (proof: TokenProof): boolean => {
  if (!MAY_HAVE_CONDITIONS.test(proof.secret)) return false;
  let kind: string;
  try {
    kind = getSecretKind(proof.secret);
  } catch {
    // It's an ordinary secret (NUT-00).
    return false;
  }
  try {
    if (kind === 'P2PK') return !isP2PKSpendAuthorised(toCashu(proof));
    if (kind === 'HTLC') return !isHTLCSpendAuthorised(toCashu(proof));
  } catch {
    return true;
  }
  return true;
};
