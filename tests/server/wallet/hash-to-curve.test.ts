import { randomBytes } from 'node:crypto';
import { hashToCurve } from '@cashu/cashu-ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashToCurveHex } from '../../../src/server/wallet/hash-to-curve.ts';

const ofLibrary = (secret: string) => hashToCurve(new TextEncoder().encode(secret)).toHex(true);

test('gives the points that NUT-00 gives as examples', () => {
  // nuts/tests/00-tests.md: the messages are bytes; these two are text as well.
  expect(hashToCurveHex('\0'.repeat(32))).toBe(
    '024cce997d3b518f739663b757deaec95bcd9473c30a14ac2fd04023a739d1a725',
  );
  expect(hashToCurveHex(`${'\0'.repeat(31)}\u0001`)).toBe(
    '022e7158e11c9506f1aa4248bf531298daa7febd6194f003edcd9b93ade6253acf',
  );
});

test('gives the same point as cashu-ts for any secret', () => {
  for (let n = 0; n < 1500; n++) {
    const secret = randomBytes(32).toString('hex');
    expect(hashToCurveHex(secret)).toBe(ofLibrary(secret));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (secret) => hashToCurveHex(secret) === ofLibrary(secret)),
    { numRuns: 300 },
  );
  expect(hashToCurveHex('\ud800')).toBe(ofLibrary('\ud800'));
});
