import { sha256 } from '@noble/hashes/sha2.js';

/** Returns the CRC-32 of IEEE 802.3, as an unsigned number. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
};

/** Returns an unsigned 32-bit number as four bytes, the most significant first. */
const bigEndian32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** Major types of CBOR (RFC 8949, 3.1). */
const CBOR_UINT = 0;
const CBOR_BYTES = 2;
const CBOR_ARRAY = 4;

const cborHead = (majorType: number, value: number): Uint8Array => {
  const type = majorType << 5;
  if (value < 24) return Uint8Array.of(type | value);
  if (value < 0x100) return Uint8Array.of(type | 24, value);
  if (value < 0x1_0000) return Uint8Array.of(type | 25, value >> 8, value & 0xff);
  return concat(Uint8Array.of(type | 26), bigEndian32(value));
};

/** Encodes a number, which must be below 2^32, in CBOR. */
const cborUint = (value: number): Uint8Array => cborHead(CBOR_UINT, value);

/** Encodes a byte string in CBOR. */
export const cborBytes = (bytes: Uint8Array): Uint8Array => concat(cborHead(CBOR_BYTES, bytes.length), bytes);

/** Encodes a list of items that are already in CBOR. */
const cborArray = (...items: readonly Uint8Array[]): Uint8Array =>
  concat(cborHead(CBOR_ARRAY, items.length), ...items);

/** The first and last letter of each of the 256 bytewords, in order (BCR-2020-012). */
const BYTEWORD_ENDS =
  'aeadaoaxaaahamatayasbkbdbnbtbabsbebybgbwbbbzcmchcscfcycwcecackctcxclcpcndkdadsdidedtdrdndwdpdmdl' +
  'dyeheyeoeeecenemetesftfrfnfsfmfhfzfpfwfxfyfefgflfdgagegrgsgtglgwgdgygmgughgohfhghdhkhthphhhlhyhe' +
  'hnhsidiaieihiyioisinimjejzjnjtjljojsjpjkjykpkoktkskkknkgkekikblblalylflslrlplnltloldlelulklgmnmy' +
  'mhmemomumwmdmtmsmknlnyndnsntnnnenboyoeotoxonolospdptpkpypspmplpepfpaprqdqzrerprlrorhrdrkrfryrnrs' +
  'rtsesasrssskswstspsosgsbsfsntotktitttdtetytltbtstptatnuyuoutueurvtvyvovlvevwvavdvswlwdwmwpwewywsw' +
  'twnwzwfwkykynylyaytzszoztzczezm';

/** Encodes bytes as minimal bytewords: two letters per byte, and a checksum at the end. */
export const bytewords = (bytes: Uint8Array): string =>
  Array.from(concat(bytes, bigEndian32(crc32(bytes))), (byte) =>
    BYTEWORD_ENDS.slice(2 * byte, 2 * byte + 2),
  ).join('');

const WORD = 64n;
const TWO_TO_64 = 2 ** 64;

const word = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotateLeft = (value: bigint, bits: bigint): bigint => word((value << bits) | (value >> (WORD - bits)));

/** Returns the next random fraction in [0, 1). From the same seed, encoder and decoder draw the same fractions. */
type Draw = () => number;

/** Xoshiro256**, seeded with the SHA-256 of `seed` (BCR-2024-001, section 4). Returns unsigned 64-bit words. */
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

/** Returns the words of {@link xoshiro256} as fractions. */
export const drawsOf = (seed: Uint8Array): Draw => {
  const next = xoshiro256(seed);
  return () => Number(next()) / TWO_TO_64;
};

/**
 * Draws indexes with probabilities proportional to `weights`, by the alias method of Walker and Vose. The
 * specification fixes the order of the steps, because a different order would draw different indexes.
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

/** Returns the first `count` items of a Fisher-Yates shuffle. */
export const shuffledFirst = <T>(items: readonly T[], count: number, draw: Draw): T[] => {
  const remaining = [...items];
  return Array.from({ length: count }, () =>
    remaining.splice(Math.floor(draw() * remaining.length), 1),
  ).flat();
};

/** The shortest fragment, because anything shorter would be mostly overhead. */
const LEAST_FRAGMENT_BYTES = 10;

/** Returns the fragment length, up to `most`, that results in the fewest fragments (BCR-2024-001, section 4). */
export const fragmentLength = (messageLength: number, most: number, least = LEAST_FRAGMENT_BYTES): number => {
  const mostFragments = Math.max(1, Math.floor(messageLength / least));
  for (let count = 1; count < mostFragments; count++) {
    const length = Math.ceil(messageLength / count);
    if (length <= most) return length;
  }
  return Math.ceil(messageLength / mostFragments);
};

/** Splits the message into fragments of equal length. The last one is padded with zeros. */
export const fragmentsOf = (message: Uint8Array, length: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(message.length / length) }, (_, index) => {
    const fragment = new Uint8Array(length);
    fragment.set(message.subarray(index * length, (index + 1) * length));
    return fragment;
  });

/**
 * Chooses the fragments that are mixed in a part. Each of the first `fragmentCount` parts has one fragment. The
 * part's number and the message's checksum determine the fragments of later parts. A reader that missed a part doesn't
 * have to wait for it to repeat.
 */
export const fragmentChooser = (
  fragmentCount: number,
  checksum: number,
): ((partNumber: number) => readonly number[]) => {
  const indexes = Array.from({ length: fragmentCount }, (_, index) => index);
  const sampler = weightedSampler(indexes.map((index) => 1 / (index + 1)));
  return (partNumber) => {
    if (partNumber <= fragmentCount) return [partNumber - 1];
    const draw = drawsOf(concat(bigEndian32(partNumber), bigEndian32(checksum)));
    return shuffledFirst(indexes, sampler(draw) + 1, draw);
  };
};

/** A message in parts. Any set of slightly more than `fragmentCount` parts is enough to rebuild it. */
interface Fountain {
  readonly fragmentCount: number;
  /** Returns the part with this number in CBOR. Numbers start at 1 and have no limit. */
  readonly part: (partNumber: number) => Uint8Array;
}

/** Creates a message's parts. No fragment is longer than `mostFragmentBytes`. */
export const fountain = (message: Uint8Array, mostFragmentBytes: number): Fountain => {
  const length = fragmentLength(message.length, mostFragmentBytes);
  const fragments = fragmentsOf(message, length);
  const checksum = crc32(message);
  const choose = fragmentChooser(fragments.length, checksum);
  const mixed = (partNumber: number): Uint8Array => {
    const mix = new Uint8Array(length);
    for (const index of choose(partNumber)) {
      fragments[index]?.forEach((byte, at) => {
        mix[at] = (mix[at] ?? 0) ^ byte;
      });
    }
    return mix;
  };
  return {
    fragmentCount: fragments.length,
    part: (partNumber) =>
      cborArray(
        cborUint(partNumber),
        cborUint(fragments.length),
        cborUint(message.length),
        cborUint(checksum),
        cborBytes(mixed(partNumber)),
      ),
  };
};

/** Bytes as Uniform Resources (URs) of the type `bytes`, one for each QR code (NUT-16, BCR-2020-005). */
export interface UrParts {
  /** This many parts are enough if none are missed. */
  readonly count: number;
  /** Returns the part with this number, in capitals for a smaller QR code. Numbers start at 1 and have no limit. */
  readonly part: (number: number) => string;
}

/** Splits bytes into URs, each with a payload of at most `mostFragmentBytes`. */
export const urParts = (bytes: Uint8Array, mostFragmentBytes: number): UrParts => {
  const message = cborBytes(bytes);
  if (message.length <= mostFragmentBytes) {
    const only = `ur:bytes/${bytewords(message)}`.toUpperCase();
    return { count: 1, part: () => only };
  }
  const { fragmentCount, part } = fountain(message, mostFragmentBytes);
  return {
    count: fragmentCount,
    part: (number) => `ur:bytes/${number}-${fragmentCount}/${bytewords(part(number))}`.toUpperCase(),
  };
};
