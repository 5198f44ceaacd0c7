import { Amount, hasValidDleq, pointFromHex, verifyDLEQProof } from '@cashu/cashu-ts';
import { CURVE_ORDER, type Curve } from './curve.ts';
import { hashToCurveHex } from './hash-to-curve.ts';

/** The generator of secp256k1 (SEC 2, 2.4.1). */
const G = pointFromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');

const ONE = Amount.from(1);

const parseScalar = (hex: string): bigint => {
  const scalar = BigInt(`0x${hex}`);
  if (scalar <= 0n || scalar >= CURVE_ORDER) throw new RangeError('not a scalar of secp256k1');
  return scalar;
};

const isTrue = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};

/** secp256k1 in JavaScript, as cashu-ts has it. Slow, but it needs nothing else. */
export const cashuCurve: Curve = {
  kind: 'javascript',

  isPoint: (point) =>
    isTrue(() => {
      pointFromHex(point).assertValidity();
      return true;
    }),

  hashToCurve: hashToCurveHex,

  publicKey: (k) => G.multiply(parseScalar(k)).toHex(true),

  blind: (y, r) =>
    pointFromHex(y)
      .add(G.multiply(parseScalar(r)))
      .toHex(true),

  unblind: (blindSignature, r, key) =>
    pointFromHex(blindSignature)
      .subtract(pointFromHex(key).multiply(parseScalar(r)))
      .toHex(true),

  verifyDleq: ({ e, s }, blinded, blindSignature, key) =>
    isTrue(() =>
      verifyDLEQProof(
        { e: Buffer.from(e, 'hex'), s: Buffer.from(s, 'hex') },
        pointFromHex(blinded),
        pointFromHex(blindSignature),
        pointFromHex(key),
      ),
    ),

  verifyProof: ({ secret, C, dleq }, key) =>
    isTrue(() => hasValidDleq({ id: '', amount: ONE, secret, C, dleq }, { id: '', keys: { 1: key } })),
};
