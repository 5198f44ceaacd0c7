import { bigEndian32, cborArray, cborBytes, cborUint, concat, crc32 } from './encoding.ts';
import { drawsOf, shuffledFirst, weightedSampler } from './random.ts';

/** Shorter fragments would be mostly overhead. */
const LEAST_FRAGMENT_BYTES = 10;

/** The length of fragments, up to `most`, that gives the fewest of them (BCR-2024-001, section 4). */
export const fragmentLength = (messageLength: number, most: number, least = LEAST_FRAGMENT_BYTES): number => {
  const mostFragments = Math.max(1, Math.floor(messageLength / least));
  for (let count = 1; count < mostFragments; count++) {
    const length = Math.ceil(messageLength / count);
    if (length <= most) return length;
  }
  return Math.ceil(messageLength / mostFragments);
};

/** The message in fragments of one length. The last one is padded with zeros. */
export const fragmentsOf = (message: Uint8Array, length: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(message.length / length) }, (_, index) => {
    const fragment = new Uint8Array(length);
    fragment.set(message.subarray(index * length, (index + 1) * length));
    return fragment;
  });

/**
 * Chooses the fragments that are mixed in a part. Each of the first `fragmentCount` parts has one fragment.
 * Later parts mix fragments that follow from the part's number and the message's checksum. A reader that
 * missed a part doesn't have to wait for it.
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

/** A message in parts. Any set of a few more than `fragmentCount` parts gives the message. */
interface Fountain {
  readonly fragmentCount: number;
  /** The part with this number, from 1 without end, in CBOR. */
  readonly part: (partNumber: number) => Uint8Array;
}

/** Creates the parts of a message. No fragment is longer than `mostFragmentBytes`. */
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
