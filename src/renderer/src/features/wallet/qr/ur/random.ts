import { sha256 } from '@noble/hashes/sha2.js';

const WORD = 64n;
const TWO_TO_64 = 2 ** 64;

const word = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotateLeft = (value: bigint, bits: bigint): bigint => word((value << bits) | (value >> (WORD - bits)));

/** Random fractions in [0, 1) that follow from a seed, so that encoder and decoder draw the same ones. */
type Draw = () => number;

/** Xoshiro256**, seeded with a SHA-256 of `seed` (BCR-2024-001, section 4). Returns unsigned 64-bit words. */
export const xoshiro256 = (seed: Uint8Array): (() => bigint) => {
  const digest = sha256(seed);
  const view = new DataView(digest.buffer, digest.byteOffset);
  let [a, b, c, d] = [
    view.getBigUint64(0),
    view.getBigUint64(8),
    view.getBigUint64(16),
    view.getBigUint64(24),
  ];
  return () => {
    const next = word(rotateLeft(word(b * 5n), 7n) * 9n);
    const shifted = word(b << 17n);
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 45n);
    return next;
  };
};

/** The words of {@link xoshiro256} as fractions. */
export const drawsOf = (seed: Uint8Array): Draw => {
  const next = xoshiro256(seed);
  return () => Number(next()) / TWO_TO_64;
};

/**
 * Draws indexes with probabilities proportional to `weights`, by the alias method of Walker and Vose. The
 * specification gives the order of the steps. Another order would draw other indexes.
 */
export const weightedSampler = (weights: readonly number[]): ((draw: Draw) => number) => {
  const count = weights.length;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const rest = weights.map((weight) => (weight * count) / sum);
  const small: number[] = [];
  const large: number[] = [];
  for (let index = count - 1; index >= 0; index--) {
    (weightAt(rest, index) < 1 ? small : large).push(index);
  }
  const chances = new Array<number>(count).fill(1);
  const aliases = new Array<number>(count).fill(0);
  for (;;) {
    const low = small.at(-1);
    const high = large.at(-1);
    if (low === undefined || high === undefined) break;
    small.pop();
    large.pop();
    chances[low] = weightAt(rest, low);
    aliases[low] = high;
    rest[high] = weightAt(rest, high) + weightAt(rest, low) - 1;
    (weightAt(rest, high) < 1 ? small : large).push(high);
  }
  return (draw) => {
    const index = Math.floor(count * draw());
    return draw() < weightAt(chances, index) ? index : weightAt(aliases, index);
  };
};

const weightAt = (values: readonly number[], index: number): number => values[index] ?? 0;

/** The first `count` items of a Fisher-Yates shuffle. */
export const shuffledFirst = <T>(items: readonly T[], count: number, draw: Draw): T[] => {
  const remaining = [...items];
  return Array.from({ length: count }, () =>
    remaining.splice(Math.floor(draw() * remaining.length), 1),
  ).flat();
};
