import { createHmac, randomBytes } from 'node:crypto';
import { CURVE_ORDER, type Curve, toScalar } from './curve.ts';
import { keysetNumber, usesHmac } from './keyset-derivation.ts';
import type { Output, Proof } from './mint.ts';
import type { BlindSignature } from './mint-api.ts';

/** An output's secret and its blinding factor, a scalar in hex. */
interface OutputSecrets {
  secret: string;
  r: string;
}

/** Derives a counter's secrets (NUT-13). */
export type Derive = (counter: number) => OutputSecrets;

/** The first hardened index (BIP-32). */
const HARDENED = 0x8000_0000;

/** NUT-13's purpose and coin type for version 1 keysets. */
const PARENT_PATH = [129372, 0];

const hmac = (algorithm: 'sha256' | 'sha512', key: Uint8Array | string, ...parts: Uint8Array[]): Buffer => {
  const hash = createHmac(algorithm, key);
  for (const part of parts) hash.update(part);
  return hash.digest();
};

const toBigInt = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** A BIP-32 private key. */
interface Node {
  key: bigint;
  chainCode: Uint8Array;
}

/** Derives a child key from a private key (BIP-32). `publicKey` is the parent's, for indexes that aren't hardened. */
const deriveChild = (parent: Node, index: number, publicKey?: string): Node => {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const data =
    publicKey === undefined ? Buffer.from(`00${toScalar(parent.key)}`, 'hex') : Buffer.from(publicKey, 'hex');
  const digest = hmac('sha512', parent.chainCode, data, number);
  const tweak = toBigInt(digest.subarray(0, 32));
  const key = (tweak + parent.key) % CURVE_ORDER;
  // This happens for one index in 2^127.
  if (tweak >= CURVE_ORDER || key === 0n) throw new Error('this index has no key');
  return { key, chainCode: digest.subarray(32) };
};

const createBip32Deriver = (curve: Curve, seed: Uint8Array, keysetId: string): Derive => {
  const digest = hmac('sha512', 'Bitcoin seed', seed);
  const master: Node = { key: toBigInt(digest.subarray(0, 32)), chainCode: digest.subarray(32) };
  const parent = [...PARENT_PATH, keysetNumber(keysetId)].reduce(
    (node, index) => deriveChild(node, HARDENED + index),
    master,
  );
  return (counter) => {
    if (!Number.isInteger(counter) || counter < 0 || counter >= HARDENED)
      throw new RangeError('no such counter');
    const node = deriveChild(parent, HARDENED + counter);
    const publicKey = curve.publicKey(toScalar(node.key));
    return {
      secret: toScalar(deriveChild(node, 0, publicKey).key),
      r: toScalar(deriveChild(node, 1, publicKey).key),
    };
  };
};

const createHmacDeriver = (seed: Uint8Array, keysetId: string): Derive => {
  const domain = Buffer.concat([Buffer.from('Cashu_KDF_HMAC_SHA256'), Buffer.from(keysetId, 'hex')]);
  const secretByte = Buffer.of(0);
  const blindingByte = Buffer.of(1);
  return (counter) => {
    if (!Number.isSafeInteger(counter) || counter < 0) throw new RangeError('no such counter');
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(counter));
    return {
      secret: hmac('sha256', seed, domain, number, secretByte).toString('hex'),
      r: toScalar(toBigInt(hmac('sha256', seed, domain, number, blindingByte)) % CURVE_ORDER),
    };
  };
};

/**
 * Derives secrets and blinding factors from a wallet's seed (NUT-13): with BIP-32 for version 1 keysets, with HMAC
 * for version 2.
 *
 * A test compares it with cashu-ts, which takes 20 times as long for version 1.
 */
export const createDeriver = (curve: Curve, seed: Uint8Array, keysetId: string): Derive =>
  usesHmac(keysetId) ? createHmacDeriver(seed, keysetId) : createBip32Deriver(curve, seed, keysetId);

/** Returns a random scalar in hex. */
export const randomScalar = (): string => {
  for (;;) {
    const scalar = toBigInt(randomBytes(32));
    if (scalar > 0n && scalar < CURVE_ORDER) return toScalar(scalar);
  }
};

/** Creates secrets that backup words can't restore. */
export const randomSecrets = (): OutputSecrets => ({
  secret: randomBytes(32).toString('hex'),
  r: randomScalar(),
});

/** Blinds a secret (NUT-00). Stored plans use cashu-ts's format. */
export const makeOutput = (
  curve: Curve,
  keysetId: string,
  amount: number,
  secrets: OutputSecrets,
): Output => ({
  blindedMessage: {
    amount: String(amount),
    B_: curve.blind(curve.hashToCurve(secrets.secret), secrets.r),
    id: keysetId,
  },
  blindingFactor: BigInt(`0x${secrets.r}`).toString(),
  secret: Buffer.from(secrets.secret, 'utf8').toString('hex'),
});

/** Returns whether a signature's DLEQ proof is valid (NUT-12). True if there's no proof. */
export const hasRightDleq = (
  curve: Curve,
  { blindedMessage }: Output,
  { C_, dleq }: BlindSignature,
  key: string,
): boolean => !dleq || curve.verifyDleq(dleq, blindedMessage.B_, C_, key);

/** Creates a signed output's proof (NUT-00). Doesn't check the signature's DLEQ proof. */
export const toProof = (curve: Curve, output: Output, signature: BlindSignature, key: string): Proof => {
  const secret = Buffer.from(output.secret, 'hex').toString('utf8');
  const r = toScalar(BigInt(output.blindingFactor));
  const { dleq } = signature;
  return {
    id: signature.id,
    amount: signature.amount,
    secret,
    C: curve.unblind(signature.C_, r, key),
    y: curve.hashToCurve(secret),
    ...(dleq ? { dleq: { ...dleq, r } } : {}),
  };
};
