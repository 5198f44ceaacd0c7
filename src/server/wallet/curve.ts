/** A DLEQ proof in hex (NUT-12): the mint signed with the key it published. */
export interface Dleq {
  e: string;
  s: string;
}

/** A received proof with the blinding factor `r`, so that anyone can check its DLEQ proof (NUT-12, "Carol"). */
export interface ProofWithDleq {
  secret: string;
  C: string;
  dleq: Dleq & { r: string };
}

/**
 * What Cashu needs of secp256k1. Points are compressed and, like scalars, in hex.
 *
 * Functions that return a point throw when an argument is not a point or not a scalar from 1 to n - 1. Those that return a boolean
 * never throw.
 */
export interface Curve {
  readonly kind: 'wasm' | 'javascript';
  isPoint(point: string): boolean;
  /** hash_to_curve of a secret (NUT-00), the name that a mint knows a proof by. */
  hashToCurve(secret: string): string;
  /** `k * G`. */
  publicKey(k: string): string;
  /** `Y + r * G`, the blinded message of a secret's point Y (NUT-00). */
  blind(y: string, r: string): string;
  /** `C_ - r * A`, the signature for a secret that was blinded with `r` (NUT-00). */
  unblind(blindSignature: string, r: string, key: string): string;
  /** Whether a blind signature `C_` for `B_` is made with the key `A` (NUT-12, "Alice"). */
  verifyDleq(dleq: Dleq, blinded: string, blindSignature: string, key: string): boolean;
  /** The same for a received proof, which it blinds again with `r` (NUT-12, "Carol"). */
  verifyProof(proof: ProofWithDleq, key: string): boolean;
}

/** The order of secp256k1 (SEC 2, 2.4.1). */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** 32 bytes in hex. */
export const toScalar = (value: bigint): string => value.toString(16).padStart(64, '0');

/** Work on the curve runs in one thread, and other calls to it wait for at most this long. */
const TURN_MS = 8;

/** Makes a function to be awaited after each piece of work. It lets other calls run when this one has had its turn. */
export const createTurns = (): (() => Promise<void>) => {
  let beganAt = performance.now();
  return async () => {
    if (performance.now() - beganAt < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    beganAt = performance.now();
  };
};
