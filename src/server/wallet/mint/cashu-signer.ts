import { createHash, createHmac } from 'node:crypto';
import { deriveKeysetId, pointFromHex } from '@cashu/cashu-ts';
import { randomScalar } from './cashu-outputs.ts';
import { CURVE_ORDER, type Curve, toScalar } from './curve.ts';
import { type KeysetKeys, MintError, MOST_SATS, type Output, type Proof } from './mint.ts';
import type { BlindSignature } from './mint-api.ts';

/** The secret keys of a mint that runs in this process, and what a mint does with them. */
interface Signer {
  /** Returns the public keys. The first call calculates them. */
  keyset(): KeysetKeys;
  /** Signs a blinded message, with a DLEQ proof (NUT-00, NUT-12). */
  sign(output: Output['blindedMessage']): BlindSignature;
  /** Returns whether these keys signed a proof of the secret whose point is `y`. */
  isSigned(proof: Pick<Proof, 'amount' | 'C'>, y: string): boolean;
}

/** Any amount that a wallet can hold takes at most one output of each power of two. */
const AMOUNTS = Array.from({ length: Math.floor(Math.log2(MOST_SATS)) + 1 }, (_, power) => 2 ** power);

/** Creates the {@link Signer} of a secret text. The same text has the same keys. */
export const createSigner = (secret: string, curve: Curve): Signer => {
  const secretKey = (amount: number): string => {
    if (!AMOUNTS.includes(amount)) throw new MintError('refused', `The mint has no key for ${amount}.`);
    const digest = createHmac('sha256', secret).update(`dot-mi test money ${amount}`).digest('hex');
    return toScalar(BigInt(`0x${digest}`) % CURVE_ORDER);
  };

  let known: KeysetKeys | undefined;
  const keyset = (): KeysetKeys => {
    if (known) return known;
    const keys = Object.fromEntries(AMOUNTS.map((amount) => [amount, curve.publicKey(secretKey(amount))]));
    // Wallets can read a token with a version 1 id without knowing the keyset.
    const id = deriveKeysetId(keys, { unit: 'sat', versionByte: 0 });
    known = { id, active: true, inputFeePpk: 0, keys };
    return known;
  };

  /** Proves that a signature was made with a key, without revealing the key (NUT-12). */
  const prove = (blinded: string, signature: string, key: string) => {
    const nonce = randomScalar();
    const points = [curve.publicKey(nonce), curve.multiply(blinded, nonce), curve.publicKey(key), signature];
    const uncompressed = points.map((point) => pointFromHex(point).toHex(false)).join('');
    const e = createHash('sha256').update(uncompressed).digest('hex');
    const s = (BigInt(`0x${nonce}`) + BigInt(`0x${e}`) * BigInt(`0x${key}`)) % CURVE_ORDER;
    return { e, s: toScalar(s) };
  };

  return {
    keyset,
    sign({ amount, B_ }) {
      const key = secretKey(Number(amount));
      const signature = curve.multiply(B_, key);
      return {
        id: keyset().id,
        amount: Number(amount),
        C_: signature,
        dleq: prove(B_, signature, key),
      };
    },
    isSigned: ({ amount, C }, y) => AMOUNTS.includes(amount) && curve.multiply(y, secretKey(amount)) === C,
  };
};
