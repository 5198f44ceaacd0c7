import {
  Amount,
  type Proof as CashuProof,
  getDecodedTokenBinary,
  getSecretKind,
  isHTLCSpendAuthorised,
  isP2PKSpendAuthorised,
} from '@cashu/cashu-ts';
import { hashToCurveHex } from './hash-to-curve.ts';
import type { Proof } from './mint.ts';
import { type DecodedToken, decodeToken, type TokenProof } from './token-text.ts';

/** Decodes a token; see {@link decodeToken}. */
export const decode = (text: string): DecodedToken =>
  decodeToken(text, (bytes) => {
    const { proofs, unit, ...token } = getDecodedTokenBinary(bytes);
    return {
      ...token,
      unit: unit ?? 'sat',
      proofs: proofs.map((proof) => ({ ...proof, amount: proof.amount.toNumber() })),
    };
  });

/** A proof as cashu-ts has it. */
export const toCashu = ({ id, amount, secret, C, witness }: Omit<Proof, 'y'>): CashuProof => ({
  id,
  amount: Amount.from(amount),
  secret,
  C,
  ...(witness === undefined ? {} : { witness }),
});

/** A proof of cashu-ts, plain and named. */
export const fromCashu = ({ id, amount, secret, C }: CashuProof): Proof => ({
  id,
  amount: amount.toNumber(),
  secret,
  C,
  y: hashToCurveHex(secret),
});

/** A secret with conditions is JSON (NUT-10); to let cashu-ts find out that an ordinary one is not is slow. */
const MAY_HAVE_CONDITIONS = /^\s*\[/;

/** Whether a proof needs a key that we do not have. A lock that has expired, or that the sender opened, does not. */
export const isLocked = (proof: TokenProof): boolean => {
  if (!MAY_HAVE_CONDITIONS.test(proof.secret)) return false;
  let kind: string;
  try {
    kind = getSecretKind(proof.secret);
  } catch {
    // An ordinary secret (NUT-00).
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
