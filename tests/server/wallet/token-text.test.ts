import { Amount, getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenError } from '../../../src/server/wallet/mint/mint.ts';
import { decodeToken as decode, normalizeMintUrl } from '../../../src/server/wallet/mint/token-text.ts';
import { bareToken } from '../../../src/shared/bare-token.ts';
import { anyText } from '../../support/any-text.ts';

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const point = fc.tuple(fc.constantFrom('02', '03'), hex(64)).map((parts) => parts.join(''));
const scalar = hex(64).filter((text) => /[1-9a-f]/.test(text));
const proof = fc.record(
  {
    id: hex(14).map((text) => `00${text}`),
    amount: fc.integer({ min: 1, max: 2 ** 40 }),
    secret: fc.oneof(hex(64), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 })),
    C: point,
    dleq: fc.record({ e: scalar, s: scalar, r: scalar }),
    witness: fc.record({ signatures: fc.array(hex(128), { minLength: 1, maxLength: 2 }) }),
  },
  { requiredKeys: ['id', 'amount', 'secret', 'C'] },
);
const token = fc.record(
  {
    mint: fc.webUrl(),
    unit: fc.constantFrom('sat', 'usd', 'msat'),
    memo: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    proofs: fc.uniqueArray(proof, { minLength: 1, maxLength: 8, selector: ({ secret }) => secret }),
  },
  { requiredKeys: ['mint', 'unit', 'proofs'] },
);

const bySecret = <T extends { secret: string }>(proofs: readonly T[]) =>
  [...proofs].sort((a, b) => (a.secret < b.secret ? -1 : 1));

const asA = (json: unknown) => `cashuA${Buffer.from(JSON.stringify(json)).toString('base64url')}`;

test('reads the cashuB that cashu-ts writes, and cashuA as cashu-ts does, field by field (property)', () => {
  fc.assert(
    fc.property(token, (made) => {
      const proofs = made.proofs.map((each) => ({ ...each, amount: Amount.from(each.amount) }));
      const b = getEncodedToken({ ...made, proofs });
      expect(b.startsWith('cashuB')).toBe(true);
      const { mint, proofs: plain, ...rest } = made;
      const a = asA({ token: [{ mint, proofs: plain }], ...rest });
      const expected = {
        ...made,
        proofs: bySecret(
          plain.map(({ witness, ...each }) => ({
            ...each,
            ...(witness ? { witness: JSON.stringify(witness) } : {}),
          })),
        ),
      };
      for (const text of [a, b]) {
        const read = decode(text);
        expect({ ...read, proofs: bySecret(read.proofs) }).toEqual(expected);
      }
      const { proofs: theirs, ...oracle } = getDecodedToken(a, []);
      expect(oracle).toEqual({ mint, ...rest });
      expect(theirs.map(({ secret, amount }) => [secret, amount.toNumber()])).toEqual(
        plain.map(({ secret, amount }) => [secret, amount]),
      );
    }),
    { numRuns: 150 },
  );
});

test('the text around a token does not matter (property)', () => {
  const spaces = fc.stringMatching(/^[ \t\r\n\u00a0]{0,4}$/);
  const before = fc.constantFrom(
    '',
    'cashu:',
    'CASHU:',
    'Cashu://',
    'web+cashu:',
    'web+cashu://',
    'WEB+CASHU:',
  );
  fc.assert(
    fc.property(before, spaces, spaces, fc.nat({ max: 40 }), (prefix, head, tail, at) => {
      const text = `cashuB${'o2F0'.repeat(10)}`;
      const broken = `${head}${prefix}${text.slice(0, at)}${head}${tail}${text.slice(at)}${tail}`;
      expect(bareToken(broken)).toBe(text);
    }),
  );
  for (const text of ['cashu:', 'cashu:x', 'http://cashuB', 'cashu:cashu:cashuB', 'xcashu:cashuB']) {
    expect(bareToken(text).startsWith('cashuB')).toBe(false);
  }
});

const PROOF = { id: '00ad268c4d1f5826', amount: 1, secret: 's', C: `02${'a'.repeat(64)}` };
const scalars = { e: 'a'.repeat(64), s: 'b'.repeat(64) };

test('fields that are null or not for us are left out, and a DLEQ without its blinding factor cannot be checked', () => {
  const read = (edit: object) =>
    decode(asA({ token: [{ mint: 'http://m', proofs: [{ ...PROOF, ...edit }] }] }));
  expect(read({ witness: null, dleq: null, more: 1 })).toEqual({
    mint: 'http://m',
    unit: 'sat',
    proofs: [PROOF],
  });
  for (const dleq of [scalars, { ...scalars, r: '' }, { ...scalars, r: '00' }]) {
    expect(read({ dleq }).proofs[0]).not.toHaveProperty('dleq', expect.anything());
  }
  expect(read({ dleq: { ...scalars, r: '01' } }).proofs[0]?.dleq).toEqual({ ...scalars, r: '01' });
  expect(read({ witness: { signatures: ['x'] } }).proofs[0]?.witness).toBe('{"signatures":["x"]}');
});

const reasonOf = (text: string): string => {
  try {
    decode(text);
  } catch (error) {
    return error instanceof TokenError ? error.reason : `not a TokenError: ${error}`;
  }
  return 'none';
};

test('any text that does not decode is a TokenError, nothing else (property)', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText(),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => `cashuB${Buffer.from(bytes).toString('base64url')}`),
        fc.jsonValue().map(asA),
      ),
      (text) => {
        expect(['malformed', 'wrong_mint']).toContain(reasonOf(text));
      },
    ),
    { numRuns: 500 },
  );
  const two = (one: string, other: string) =>
    asA({ token: [one, other].map((mint, at) => ({ mint, proofs: [{ ...PROOF, secret: `s${at}` }] })) });
  expect(reasonOf(two('http://a', 'http://b'))).toBe('wrong_mint');
  expect(reasonOf(two('http://a', 'HTTP://A:80//'))).toBe('none');
});

test.each([
  ['https://Mint.Example/Bitcoin/', 'https://mint.example/Bitcoin'],
  ['HTTPS://mint.example:443', 'https://mint.example'],
  ['http://mint.example:80///', 'http://mint.example'],
  ['http://mint.example:8080/', 'http://mint.example:8080'],
  ['https://mint.example:80', 'https://mint.example:80'],
  ['https://münt.example', 'https://xn--mnt-hoa.example'],
  ['https://mint.example/a/../b', 'https://mint.example/b'],
  ['https://mint.example/a?x', 'https://mint.example/a?x'],
  ['no url', 'no url'],
])('the mint %s is %s', (url, normal) => {
  expect(normalizeMintUrl(url)).toBe(normal);
  expect(normalizeMintUrl(normal)).toBe(normal);
});

test('a secret with half of a surrogate pair is malformed, because several of them would be one secret', () => {
  for (const secret of ['a\ud800', 'a\udc00', '\ud800a'])
    expect(reasonOf(asA({ token: [{ mint: 'http://m', proofs: [{ ...PROOF, secret }] }] }))).toBe(
      'malformed',
    );
  expect(reasonOf(asA({ token: [{ mint: 'http://m', proofs: [{ ...PROOF, secret: 'a\ufffd😀' }] }] }))).toBe(
    'none',
  );
});
