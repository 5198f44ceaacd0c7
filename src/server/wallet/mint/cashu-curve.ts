import { hashToCurve, pointFromHex, verifyDLEQProof } from '@cashu/cashu-ts';
import { CURVE_ORDER, type Curve, type Dleq, isTrue, loadWasmCurve } from './curve.ts';

type Point = ReturnType<typeof pointFromHex>;

/** The generator of secp256k1 (SEC 2, 2.4.1). */
const G = pointFromHex('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');

const parseScalar = (hex: string): bigint => {
  const scalar = BigInt(`0x${hex}`);
  if (scalar <= 0n || scalar >= CURVE_ORDER) throw new RangeError('not a scalar');
  return scalar;
};

const verify = ({ e, s }: Dleq, blinded: Point, blindSignature: Point, key: Point): boolean =>
  verifyDLEQProof({ e: Buffer.from(e, 'hex'), s: Buffer.from(s, 'hex') }, blinded, blindSignature, key);

/** secp256k1 in JavaScript, from cashu-ts. It's slow, but it always works. */
export const cashuCurve: Curve = {
  kind: 'javascript',

  isPoint: (point) => isTrue(() => pointFromHex(point).toHex(true) === point.toLowerCase()),

  hashToCurve: (secret) => hashToCurve(Buffer.from(secret, 'utf8')).toHex(true),

  publicKey: (k) => G.multiply(parseScalar(k)).toHex(true),

  multiply: (point, k) => pointFromHex(point).multiply(parseScalar(k)).toHex(true),

  blind: (y, r) =>
    pointFromHex(y)
      .add(G.multiply(parseScalar(r)))
      .toHex(true),

  unblind: (blindSignature, r, key) =>
    pointFromHex(blindSignature)
      .subtract(pointFromHex(key).multiply(parseScalar(r)))
      .toHex(true),

  verifyDleq: (dleq, blinded, blindSignature, key) =>
    isTrue(() => verify(dleq, pointFromHex(blinded), pointFromHex(blindSignature), pointFromHex(key))),

  verifyProof: ({ y, C, dleq }, key) =>
    isTrue(() => {
      const r = parseScalar(dleq.r);
      const point = pointFromHex(key);
      const blinded = pointFromHex(y).add(G.multiply(r));
      return verify(dleq, blinded, pointFromHex(C).add(point.multiply(r)), point);
    }),
};

/** Returns the fastest {@link Curve} that can be loaded. */
export const loadCurve = async (): Promise<Curve> => (await loadWasmCurve()) ?? cashuCurve;
