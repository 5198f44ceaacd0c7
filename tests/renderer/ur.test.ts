import { describe, expect, test } from 'vitest';
import {
  bytewords,
  cborBytes,
  crc32,
  drawsOf,
  fountain,
  fragmentChooser,
  fragmentLength,
  fragmentsOf,
  shuffledFirst,
  urParts,
  weightedSampler,
  xoshiro256,
} from '../../src/renderer/src/features/wallet/qr/ur.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** The bytes that the specification's examples are made of. */
const message = (length: number) => {
  const draw = drawsOf(utf8('Wolf'));
  return Uint8Array.from(times(length, () => Math.floor(draw() * 256)));
};

describe('the vectors of BCR-2024-001', () => {
  test('CRC-32', () => {
    expect(crc32(utf8('Wolf'))).toBe(0x59_8c_84_dc);
    expect(crc32(message(1024))).toBe(0x2f_19_f3_bb);
  });

  test('Xoshiro256**, from a text and from a checksum', () => {
    const words = (seed: Uint8Array) => {
      const next = xoshiro256(seed);
      return times(12, () => Number(next() % 100n));
    };
    expect(words(utf8('Wolf'))).toEqual([42, 81, 85, 8, 82, 84, 76, 73, 70, 88, 2, 74]);
    expect(words(Uint8Array.of(0x59, 0x8c, 0x84, 0xdc))).toEqual([
      88, 44, 94, 74, 0, 99, 7, 77, 68, 35, 47, 78,
    ]);
  });

  test('the weighted sampler', () => {
    const sample = weightedSampler([1, 2, 4, 8]);
    const draw = drawsOf(utf8('Wolf'));
    const samples = times(500, () => sample(draw));
    expect(samples.slice(0, 24)).toEqual([
      3, 3, 3, 3, 3, 3, 3, 0, 2, 3, 3, 3, 3, 1, 2, 2, 1, 3, 3, 2, 3, 3, 1, 1,
    ]);
    expect([0, 1, 2, 3].map((index) => samples.filter((each) => each === index).length)).toEqual([
      28, 68, 130, 274,
    ]);
  });

  test('the shuffle', () => {
    const draw = drawsOf(utf8('Wolf'));
    const values = times(10, (index) => index + 1);
    expect(values.map((count) => shuffledFirst(values, count, draw))).toEqual([
      [6],
      [5, 8],
      [4, 10, 5],
      [7, 10, 3, 8],
      [10, 8, 6, 5, 1],
      [1, 3, 9, 8, 4, 6],
      [4, 6, 8, 9, 3, 2, 1],
      [3, 9, 7, 4, 5, 1, 10, 8],
      [3, 10, 2, 6, 8, 5, 7, 9, 1],
      [1, 5, 3, 8, 2, 6, 7, 9, 4, 10],
    ]);
  });

  test('the length of fragments', () => {
    expect(fragmentLength(12_345, 1_955, 1_005)).toBe(1_764);
    expect(fragmentLength(12_345, 30_000, 1_005)).toBe(12_345);
    const fragments = fragmentsOf(message(1024), fragmentLength(1024, 100));
    expect(fragments).toHaveLength(11);
    expect(hex(fragments.at(-1) ?? new Uint8Array())).toMatch(/^170010067e2e75eb.*66425df0{20}$/);
  });

  test('which fragments are in which part', () => {
    const choose = fragmentChooser(11, crc32(message(1024)));
    const parts = times(30, (index) => choose(index + 1).toSorted((a, b) => a - b));
    expect(parts).toEqual([
      ...times(11, (index) => [index]),
      [9],
      [2, 5, 6, 8, 9, 10],
      [8],
      [1, 5],
      [1],
      [0, 2, 4, 5, 8, 10],
      [5],
      [2],
      [2],
      [0, 1, 3, 4, 5, 7, 9, 10],
      [0, 1, 2, 3, 5, 6, 8, 9, 10],
      [0, 2, 4, 5, 7, 8, 9, 10],
      [3, 5],
      [4],
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      [0, 1, 3, 4, 5, 6, 7, 9, 10],
      [6],
      [5, 6],
      [7],
    ]);
  });

  test('the parts, plain and mixed', () => {
    const { part } = fountain(message(256), 30);
    expect([1, 9, 10, 14, 20].map((number) => hex(part(number)))).toEqual([
      '8501091901001a0167aa07581d916ec65cf77cadf55cd7f9cda1a1030026ddd42e905b77adc36e4f2d3c',
      '8509091901001a0167aa07581d951e65305b56a3706e3e86eb01c803bbf915d80edcd64d4d0000000000',
      '850a091901001a0167aa07581d330f0f33a05eead4f331df229871bee733b50de71afd2e5a79f196de09',
      '850e091901001a0167aa07581d5bf4031217d2c3254b088fa7553778b5003632f46e21db129416f65b55',
      '8514091901001a0167aa07581de055c2433562184fa71b4be94f262e200f01c6f74c284b0dc6fae6673f',
    ]);
  });
});

test('writes bytes as bytewords, with their checksum', () => {
  expect(bytewords(Uint8Array.of(0, 1, 2, 128, 255))).toBe('aeadaolazmjendeoti');
});

test('a short message is one UR, as in BCR-2020-005', () => {
  const { count, part } = urParts(message(50), 150);
  const only =
    'ur:bytes/hdeymejtswhhylkepmykhhtsytsnoyoyaxaedsuttydmmhhpktpmsrjtgwdpfnsboxgwlbaawzuefywkdplrsrjynbvygabwjldapfcsdwkbrkch';
  expect([count, part(1), part(7)]).toEqual([1, only.toUpperCase(), only.toUpperCase()]);
});

test('a long message is numbered URs, as in BCR-2020-005', () => {
  const { count, part } = urParts(message(256), 30);
  expect(count).toBe(9);
  expect(part(1).toLowerCase()).toBe(
    'ur:bytes/1-9/lpadascfadaxcywenbpljkhdcahkadaemejtswhhylkepmykhhtsytsnoyoyaxaedsuttydmmhhpktpmsrjtdkgslpgh',
  );
  expect(part(12)).toMatch(/^UR:BYTES\/12-9\/[A-Z]+$/);
});

test('any parts of a token bring it back, as soon as there are enough of them', () => {
  const text = `cashuB${'o2FteCJodHRwOi8v'.repeat(120)}`;
  const encoded = cborBytes(utf8(text));
  const { fragmentCount } = fountain(encoded, 150);
  const choose = fragmentChooser(fragmentCount, crc32(encoded));
  // Every third part is missed; which fragments are known follows by taking known ones out of mixed ones.
  const known = new Set<number>();
  const parts: Set<number>[] = [];
  let number = 0;
  while (known.size < fragmentCount && number < 1000) {
    number++;
    if (number % 3 === 0) continue;
    parts.push(new Set(choose(number)));
    for (let changed = true; changed; ) {
      changed = false;
      for (const part of parts) {
        const rest = [...part].filter((index) => !known.has(index));
        if (rest.length !== 1) continue;
        known.add(rest[0] ?? -1);
        changed = true;
      }
    }
  }
  expect(known.size).toBe(fragmentCount);
  expect(number).toBeLessThan(5 * fragmentCount);
});
