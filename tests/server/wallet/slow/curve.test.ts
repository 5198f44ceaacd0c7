import {
  Amount,
  blindMessage,
  createBlindSignature,
  createDLEQProof,
  hashToCurve,
  hasValidDleq,
  OutputData,
  pointFromHex,
  unblindSignature,
  verifyDLEQProof,
} from '@cashu/cashu-ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cashuCurve, loadCurve } from '../../../../src/server/wallet/mint/cashu-curve.ts';
import {
  createDeriver,
  makeOutput,
  randomSecrets,
  toProof,
} from '../../../../src/server/wallet/mint/cashu-outputs.ts';
import {
  CURVE_ORDER,
  createCurveTurns,
  loadWasmCurve,
  toScalar,
} from '../../../../src/server/wallet/mint/curve.ts';
import { anyText } from '../../../support/any-text.ts';

const wasmCurve = await loadWasmCurve();
if (!wasmCurve) throw new Error('tiny-secp256k1 cannot be loaded');

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new TextEncoder().encode(text);

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const scalar = bytes32
  .map((array) => BigInt(`0x${hex(array)}`))
  .filter((value) => value > 0n && value < CURVE_ORDER);
const edges = [0n, 1n, 2n, CURVE_ORDER - 1n, CURVE_ORDER, CURVE_ORDER + 1n, 2n ** 256n - 1n].map(toScalar);
const secret = fc.oneof(bytes32.map(hex), anyText({ minLength: 1, maxLength: 40 }));

/** A point that is not on the curve: x = 5 has no y. */
const OFF_CURVE = `02${'5'.padStart(64, '0')}`;

/** A signature of a mint with the key `k`, and its DLEQ proof, all made by cashu-ts. */
const sign = ({ k, r, secret }: { k: bigint; r: bigint; secret: string }) => {
  const { B_ } = blindMessage(bytes(secret), r);
  const privateKey = Buffer.from(toScalar(k), 'hex');
  const { C_ } = createBlindSignature(B_, privateKey, '');
  const key = pointFromHex(cashuCurve.publicKey(toScalar(k)));
  const { e, s } = createDLEQProof(B_, privateKey);
  return {
    secret,
    y: hashToCurve(bytes(secret)).toHex(true),
    k: toScalar(k),
    r: toScalar(r),
    key: key.toHex(true),
    blinded: B_.toHex(true),
    blindSignature: C_.toHex(true),
    C: unblindSignature(C_, r, key).toHex(true),
    e: hex(e),
    s: hex(s),
  };
};
type Signed = ReturnType<typeof sign>;

/** A few are enough, since cashu-ts takes 20 ms for each. */
const signed = fc.constantFrom(...fc.sample(fc.record({ k: scalar, r: scalar, secret }), 12).map(sign));

/** What cashu-ts says of it, to whom it was made for (NUT-12, "Alice") and to anyone else ("Carol"). */
const oracle = ({ secret, r, key, blinded, blindSignature, C, e, s }: Signed) => {
  const proof = { id: '', amount: Amount.from(1), secret, C, dleq: { e, s, r } };
  const ofAlice = () =>
    verifyDLEQProof(
      { e: Buffer.from(e, 'hex'), s: Buffer.from(s, 'hex') },
      pointFromHex(blinded),
      pointFromHex(blindSignature),
      pointFromHex(key),
    );
  return { alice: orFalse(ofAlice), carol: orFalse(() => hasValidDleq(proof, { id: '', keys: { 1: key } })) };
};
const orFalse = (check: () => boolean) => {
  try {
    return check();
  } catch {
    return false;
  }
};

describe.each([
  ['WebAssembly', wasmCurve, 60],
  // It is cashu-ts, and slow.
  ['JavaScript', cashuCurve, 12],
])('the curve in %s', (_name, curve, numRuns) => {
  const verdict = ({ y, r, key, blinded, blindSignature, C, e, s }: Signed) => ({
    alice: curve.verifyDleq({ e, s }, blinded, blindSignature, key),
    carol: curve.verifyProof({ y, C, dleq: { e, s, r } }, key),
  });

  test('accepts the DLEQ proofs that cashu-ts makes', () => {
    fc.assert(
      fc.property(signed, (made) => {
        expect(verdict(made)).toEqual({ alice: true, carol: true });
      }),
      { numRuns },
    );
  });

  test('judges invalid DLEQ proofs as cashu-ts does', () => {
    const names = ['key', 'blinded', 'blindSignature', 'C', 'e', 's', 'r'] as const;
    const anyPoint = scalar.map((value) => cashuCurve.publicKey(toScalar(value)));
    const point = fc.oneof(
      anyPoint,
      fc.constantFrom(OFF_CURVE, '', '02', `04${'1'.repeat(64)}`, `02${'g'.repeat(64)}`),
    );
    const number = fc.oneof(scalar.map(toScalar), fc.constantFrom(...edges, '', 'x', '1'.repeat(66)));
    fc.assert(
      fc.property(signed, fc.constantFrom(...names), point, number, (made, name, newPoint, newNumber) => {
        const isNumber = name === 'e' || name === 's' || name === 'r';
        const changed = { ...made, [name]: isNumber ? newNumber : newPoint };
        expect(verdict(changed)).toEqual(oracle(changed));
      }),
      { numRuns },
    );
  });

  test('judges a DLEQ proof with a wrong digit as cashu-ts does', () => {
    const names = ['key', 'blinded', 'blindSignature', 'C', 'e', 's', 'r'] as const;
    fc.assert(
      fc.property(signed, fc.constantFrom(...names), fc.nat({ max: 63 }), (made, name, at) => {
        const text = made[name];
        const place = text.length - 1 - at;
        const digit = text[place] === '0' ? '1' : '0';
        const changed = { ...made, [name]: `${text.slice(0, place)}${digit}${text.slice(place + 1)}` };
        const judged = verdict(changed);
        expect(judged).toEqual(oracle(changed));
        expect(judged.alice && judged.carol).toBe(false);
      }),
      { numRuns },
    );
  });

  test('blinds and unblinds as cashu-ts does', () => {
    fc.assert(
      fc.property(signed, ({ secret, y, k, r, key, blinded, blindSignature, C }) => {
        expect(curve.hashToCurve(secret)).toBe(y);
        expect(curve.blind(y, r)).toBe(blinded);
        expect(curve.multiply(y, k)).toBe(C);
        expect(curve.unblind(blindSignature, r, key)).toBe(C);
      }),
      { numRuns },
    );
  });

  test('returns the example points of NUT-00', () => {
    // nuts/tests/00-tests.md. The messages there are bytes; these two are text as well.
    expect(curve.hashToCurve('\0'.repeat(32))).toBe(
      '024cce997d3b518f739663b757deaec95bcd9473c30a14ac2fd04023a739d1a725',
    );
    expect(curve.hashToCurve(`${'\0'.repeat(31)}\u0001`)).toBe(
      '022e7158e11c9506f1aa4248bf531298daa7febd6194f003edcd9b93ade6253acf',
    );
  });

  test('maps any secret to the same point as cashu-ts', () => {
    const ofLibrary = (text: string) => hashToCurve(bytes(text)).toHex(true);
    fc.assert(
      fc.property(secret, (text) => curve.hashToCurve(text) === ofLibrary(text)),
      { numRuns: 10 * numRuns },
    );
    expect(curve.hashToCurve('\ud800')).toBe(ofLibrary('\ud800'));
  });

  test('rejects a number that is not a scalar, and a point off the curve', () => {
    const G = curve.publicKey(toScalar(1n));
    expect(G).toBe('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
    const isScalar = (text: string) => {
      const value = BigInt(`0x${text}`);
      return value > 0n && value < CURVE_ORDER;
    };
    const works = (make: () => string) => {
      try {
        return curve.isPoint(make());
      } catch {
        return false;
      }
    };
    const other = curve.publicKey(toScalar(12345n));
    for (const edge of edges) {
      expect([edge, works(() => curve.publicKey(edge))]).toEqual([edge, isScalar(edge)]);
      expect([edge, works(() => curve.multiply(other, edge))]).toEqual([edge, isScalar(edge)]);
      expect([edge, works(() => curve.blind(other, edge))]).toEqual([edge, isScalar(edge)]);
      expect([edge, works(() => curve.unblind(other, edge, G))]).toEqual([edge, isScalar(edge)]);
    }
    expect(works(() => curve.multiply(OFF_CURVE, toScalar(1n)))).toBe(false);
    expect(works(() => curve.blind(OFF_CURVE, toScalar(1n)))).toBe(false);
    expect(works(() => curve.unblind(OFF_CURVE, toScalar(1n), G))).toBe(false);
    expect(works(() => curve.unblind(G, toScalar(2n), OFF_CURVE))).toBe(false);
    // C_ = r * A: the point at infinity.
    expect(works(() => curve.unblind(G, toScalar(1n), G))).toBe(false);
    for (const text of [OFF_CURVE, '', '02', 'x'.repeat(66), `04${'1'.repeat(128)}`, G.slice(2)]) {
      expect([text, curve.isPoint(text)]).toEqual([text, false]);
    }
    expect([curve.isPoint(G), curve.isPoint(G.toUpperCase())]).toEqual([true, true]);
  });

  test('derives the outputs that cashu-ts derives, for ids of each version (NUT-13)', () => {
    const version1 = fc.stringMatching(/^00[0-9a-f]{14}$/);
    const version2 = fc.stringMatching(/^01[0-9a-f]{64}$/);
    const base64 = fc.stringMatching(/^[A-Za-z0-9+/]{11}[+/]$/);
    const seed = fc.uint8Array({ minLength: 64, maxLength: 64 });
    const counter = fc.oneof(fc.nat({ max: 2000 }), fc.constantFrom(0, 2 ** 31 - 4));
    fc.assert(
      fc.property(fc.oneof(version1, version2, base64), seed, counter, (id, seed, counter) => {
        const keyset = { id, keys: { 1: '02', 2: '02' } };
        const theirs = OutputData.createDeterministicData(5, seed, counter, keyset, [2, 1, 2]);
        const derive = createDeriver(curve, seed, id);
        const ours = [2, 1, 2].map((amount, at) => makeOutput(curve, id, amount, derive(counter + at)));
        expect(ours).toEqual(theirs.map(OutputData.serialize));
      }),
      { numRuns },
    );
  });

  test('makes the same proofs as cashu-ts from the same outputs', () => {
    fc.assert(
      fc.property(scalar, bytes32.map(hex), (k, secret) => {
        const id = '00ad268c4d1f5826';
        const key = curve.publicKey(toScalar(k));
        const output = makeOutput(curve, id, 4, { ...randomSecrets(), secret });
        const privateKey = Buffer.from(toScalar(k), 'hex');
        const { B_ } = output.blindedMessage;
        const C_ = createBlindSignature(pointFromHex(B_), privateKey, id).C_.toHex(true);
        const theirs = OutputData.deserialize(output).toProof(
          { id, amount: Amount.from(4), C_ },
          { id, keys: { 4: key } },
        );
        expect(toProof(curve, output, { id, amount: 4, C_ }, key)).toEqual({
          id,
          amount: 4,
          secret: theirs.secret,
          C: theirs.C,
          y: hashToCurve(bytes(secret)).toHex(true),
        });
      }),
      { numRuns: numRuns / 6 },
    );
  });
});

test('NUT-13 has the outputs of its test vectors', () => {
  // nuts/tests/13-tests.md, version 1: the first counter of "half depart obvious …".
  const seed = Buffer.from(
    'dd44ee516b0647e80b488e8dcc56d736a148f15276bef588b37057476d4b2b25780d3688a32b37353d6995997842c0fd8b412475c891c16310471fbc86dcbda8',
    'hex',
  );
  expect(createDeriver(wasmCurve, seed, '009a1f293253e41e')(0)).toEqual({
    secret: '485875df74771877439ac06339e284c3acfcd9be7abf3bc20b516faeadfe77ae',
    r: 'ad00d431add9c673e843d4c2bf9a778a5f402b985b8da2d5550bf39cda41d679',
  });
});

test('a counter outside the range of a keyset is an error', () => {
  const seed = new Uint8Array(64);
  for (const id of ['009a1f293253e41e', `01${'a'.repeat(64)}`]) {
    for (const counter of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => createDeriver(wasmCurve, seed, id)(counter)).toThrow(RangeError);
    }
  }
});

test('the wallet uses WebAssembly', async () => {
  expect((await loadCurve()).kind).toBe('wasm');
});

test('long work on the curve lets other work run in between', async () => {
  let isOtherDone = false;
  setImmediate(() => {
    isOtherDone = true;
  });
  const turn = createCurveTurns();
  await turn();
  expect(isOtherDone).toBe(false);
  const until = performance.now() + 20;
  while (performance.now() < until);
  await turn();
  expect(isOtherDone).toBe(true);
});
