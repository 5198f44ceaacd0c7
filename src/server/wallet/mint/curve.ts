import { hash } from 'node:crypto';
import { createTurns, type Turn } from '../../platform/thread.ts';

/** A DLEQ proof in hex (NUT-12), which shows that the mint signed with the key it published. */
export interface Dleq {
  e: string;
  s: string;
}

/** A received proof with the blinding factor `r`, with which anyone can check its DLEQ proof (NUT-12, "Carol"). */
interface ProofWithDleq {
  /** hash_to_curve of the secret. */
  y: string;
  C: string;
  dleq: Dleq & { r: string };
}

/**
 * The part of secp256k1 that Cashu needs. Points are compressed. Points and scalars are in hex.
 *
 * Functions that return a point throw if an argument isn't a point or a scalar from 1 to n - 1. Those that return a
 * boolean never throw.
 */
export interface Curve {
  readonly kind: 'wasm' | 'javascript';
  isPoint(point: string): boolean;
  /** Returns hash_to_curve of a secret (NUT-00), which identifies the proof to a mint. */
  hashToCurve(secret: string): string;
  /** Returns `k * G`. */
  publicKey(k: string): string;
  /** Returns `k * P`, with which a mint signs (NUT-00). */
  multiply(point: string, k: string): string;
  /** Returns `Y + r * G`, the blinded message of a secret's point Y (NUT-00). */
  blind(y: string, r: string): string;
  /** Returns `C_ - r * A`, the signature for a secret that was blinded with `r` (NUT-00). */
  unblind(blindSignature: string, r: string, key: string): string;
  /** Returns whether a blind signature `C_` for `B_` was made with the key `A` (NUT-12, "Alice"). */
  verifyDleq(dleq: Dleq, blinded: string, blindSignature: string, key: string): boolean;
  /** Returns the same for a received proof, whose secret it blinds again with `r` (NUT-12, "Carol"). */
  verifyProof(proof: ProofWithDleq, key: string): boolean;
}

type Secp256k1 = typeof import('tiny-secp256k1');

/**
 * How many keys to cache, enough for a few mints. Keys are used many times, and decompressing one takes a square
 * root.
 */
const MAX_KNOWN_KEYS = 2_000;

const COMPRESSED = /^0[23][0-9a-f]{64}$/i;
const MAX_SCALAR_DIGITS = 64;

/** Returns the result of a check. A check that throws is false. */
export const isTrue = (check: () => boolean): boolean => {
  try {
    return check();
  } catch {
    return false;
  }
};

const parsePoint = (hex: string): Buffer => {
  if (!COMPRESSED.test(hex)) throw new RangeError('not a compressed point');
  return Buffer.from(hex, 'hex');
};

/** Parses 32 bytes. tiny-secp256k1 checks the range. */
const parseScalar = (hex: string): Buffer => {
  if (!/^[0-9a-f]+$/i.test(hex) || hex.length > MAX_SCALAR_DIGITS) throw new RangeError('not a scalar');
  return Buffer.from(hex.padStart(MAX_SCALAR_DIGITS, '0'), 'hex');
};

/** Throws for null, which tiny-secp256k1 returns for the point at infinity. */
const finite = (point: Uint8Array | null): Uint8Array => {
  if (!point) throw new RangeError('the point at infinity');
  return point;
};

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const HASH_TO_CURVE_DOMAIN = Buffer.from('Secp256k1_HashToCurve_Cashu_');

/** NUT-00's limit. Half of all hashes are points, so one or two tries are enough. */
const MAX_TRIES = 2 ** 16;

const sha256 = (data: Uint8Array | string): Buffer => hash('sha256', data, 'buffer');

/** Implements NUT-00. The point has an even y, so it's enough to know whether a hash is an x coordinate. */
const hashToCurve = (secret: string, isX: Secp256k1['isXOnlyPoint']): string => {
  const input = Buffer.concat([
    sha256(Buffer.concat([HASH_TO_CURVE_DOMAIN, Buffer.from(secret, 'utf8')])),
    Buffer.alloc(4),
  ]);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    input.writeUInt32LE(tries, 32);
    const x = sha256(input);
    if (isX(x)) return `02${x.toString('hex')}`;
  }
  throw new Error('no hash of the secret is a point');
};

const createWasmCurve = (secp256k1: Secp256k1): Curve => {
  const { pointAdd, pointAddScalar, pointCompress, pointMultiply, privateNegate } = secp256k1;

  const knownKeys = new Map<string, Uint8Array>();
  const uncompressedKey = (hex: string): Uint8Array => {
    const known = knownKeys.get(hex);
    if (known) return known;
    const key = pointCompress(parsePoint(hex), false);
    if (knownKeys.size >= MAX_KNOWN_KEYS) knownKeys.clear();
    knownKeys.set(hex, key);
    return key;
  };

  /** Checks `e == hash(s * G - e * A, s * B_ - e * C_, A, C_)` (NUT-12). The hash is of uncompressed points in hex. */
  const verify = (dleq: Dleq, blinded: Uint8Array, blindSignature: Uint8Array, key: Uint8Array): boolean => {
    const e = parseScalar(dleq.e);
    const s = parseScalar(dleq.s);
    const minusE = privateNegate(e);
    const r1 = finite(pointAddScalar(finite(pointMultiply(key, minusE, false)), s, false));
    const r2 = finite(
      pointAdd(
        finite(pointMultiply(blinded, s, false)),
        finite(pointMultiply(blindSignature, minusE, false)),
        false,
      ),
    );
    return sha256([r1, r2, key, blindSignature].map(toHex).join('')).equals(e);
  };

  return {
    kind: 'wasm',

    isPoint: (point) => isTrue(() => secp256k1.isPoint(parsePoint(point))),

    hashToCurve: (secret) => hashToCurve(secret, secp256k1.isXOnlyPoint),

    publicKey: (k) => toHex(finite(secp256k1.pointFromScalar(parseScalar(k), true))),

    multiply: (point, k) => toHex(finite(pointMultiply(parsePoint(point), parseScalar(k), true))),

    blind(y, r) {
      const scalar = parseScalar(r);
      // Unlike the other functions, pointAddScalar accepts zero.
      if (!secp256k1.isPrivate(scalar)) throw new RangeError('not a scalar');
      return toHex(finite(pointAddScalar(parsePoint(y), scalar, true)));
    },

    unblind(blindSignature, r, key) {
      const minusRA = finite(pointMultiply(uncompressedKey(key), privateNegate(parseScalar(r)), false));
      return toHex(finite(pointAdd(parsePoint(blindSignature), minusRA, true)));
    },

    verifyDleq: (dleq, blinded, blindSignature, key) =>
      isTrue(() =>
        verify(
          dleq,
          pointCompress(parsePoint(blinded), false),
          pointCompress(parsePoint(blindSignature), false),
          uncompressedKey(key),
        ),
      ),

    verifyProof: ({ y, C, dleq }, key) =>
      isTrue(() => {
        const r = parseScalar(dleq.r);
        const keyPoint = uncompressedKey(key);
        const blinded = finite(pointAddScalar(parsePoint(y), r, false));
        const rA = finite(pointMultiply(keyPoint, r, false));
        return verify(dleq, blinded, finite(pointAdd(parsePoint(C), rA, false)), keyPoint);
      }),
  };
};

/**
 * Loads secp256k1 as WebAssembly, which checks a DLEQ proof about ten times as fast as JavaScript. Returns undefined
 * on failure, because the wallet works without it.
 */
export const loadWasmCurve = async (): Promise<Curve | undefined> => {
  try {
    // Imported dynamically, because the library reads its .wasm file on load and throws if it's missing.
    return createWasmCurve(await import('tiny-secp256k1'));
  } catch {
    return undefined;
  }
};

/** The order of secp256k1 (SEC 2, 2.4.1). */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Returns 32 bytes in hex. */
export const toScalar = (value: bigint): string => value.toString(16).padStart(64, '0');

/** The longest that other calls wait for one turn, because all curve work shares one thread. */
const TURN_MS = 8;

/** Creates one call's turns. */
export const createCurveTurns = (): Turn => createTurns(TURN_MS);
