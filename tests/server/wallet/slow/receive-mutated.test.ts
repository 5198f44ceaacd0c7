import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../support/any-text.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { editA, serveWallet } from '../../../support/wallet.ts';

const asA = (value: unknown) => `cashuA${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

/** Something that is done to the text of a token, or to its bytes. */
interface Mutation {
  base: string;
  inBytes: boolean;
  how: string;
  at: number;
  length: number;
  byte: number;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  base: fc.constantFrom('A', 'B', 'dleq'),
  inBytes: fc.boolean(),
  how: fc.constantFrom('replace', 'insert', 'delete', 'repeat', 'cut'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
  byte: fc.nat({ max: 255 }),
});

const mutate = (bytes: Buffer, { how, at, length, byte }: Mutation): Buffer => {
  const start = Math.floor(at * bytes.length);
  const head = bytes.subarray(0, start);
  const middle = bytes.subarray(start, start + length);
  const tail = bytes.subarray(start + length);
  switch (how) {
    case 'replace':
      return Buffer.concat([head, Buffer.from([byte]), bytes.subarray(start + 1)]);
    case 'insert':
      return Buffer.concat([head, Buffer.alloc(1 + (length % 4), byte), middle, tail]);
    case 'delete':
      return Buffer.concat([head, tail]);
    case 'repeat':
      return Buffer.concat([head, middle, middle, tail]);
    default:
      return head;
  }
};

/** Any value in the place of any field of a token of version 3. */
const edit = fc.record({
  path: fc.constantFrom(
    'token',
    'mint',
    'unit',
    'memo',
    'proofs',
    'id',
    'amount',
    'secret',
    'C',
    'dleq',
    'witness',
  ),
  value: fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    anyText({ maxLength: 80 }),
    fc.stringMatching(/^0[23][0-9a-f]{64}$/),
    fc.constantFrom(
      -1,
      0.5,
      1e21,
      2 ** 40,
      '["P2PK",{}]',
      '["P2PK",{"nonce":"a","data":"02"}]',
      '__proto__',
      'http://',
    ),
  ),
});

const ORDINARY = [200, 400, 409, 422];

test('500 mutated tokens: never a 5xx, no sat made or lost, and the server keeps running (property)', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const bases: Record<string, string> = {
    A: mint.issue(11, { version: 'A', withoutDleq: true }),
    B: mint.issue(11, { withoutDleq: true }),
    dleq: mint.issue(11, { version: 'A', memo: 'x' }),
  };
  const broken = (how: Mutation) => {
    const text = bases[how.base] ?? '';
    if (!how.inBytes) return mutate(Buffer.from(text), how).toString('latin1');
    return text.slice(0, 6) + mutate(Buffer.from(text.slice(6), 'base64url'), how).toString('base64url');
  };
  const edited = ({ path, value }: { path: string; value: unknown }) =>
    editA(bases.A ?? '', (json) => {
      const [entry] = json.token;
      if (path === 'token' || path === 'unit' || path === 'memo') Object.assign(json, { [path]: value });
      else if (path === 'mint' || path === 'proofs') Object.assign(entry ?? {}, { [path]: value });
      else Object.assign(entry?.proofs[0] ?? {}, { [path]: value });
    });
  const seen = new Set<string>();
  const tokens = fc.array(fc.oneof(mutation.map(broken), edit.map(edited)), { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(tokens, async (batch) => {
      await Promise.all(
        batch.map(async (token) => {
          const checked = await wallet.validate(token);
          expect([200, 400]).toContain(checked.status);
          const { status, body } = await wallet.receive(token);
          expect(ORDINARY).toContain(status);
          expect(JSON.stringify(body)).not.toMatch(/node:|\.ts:|\/work|Error:/);
          const { valid, reason = '' } = checked.body;
          seen.add(`${reason}/${body.code}`);
          const mayChange = ['spent', 'pending'].includes(reason);
          if (valid === false && !mayChange) expect([token, status]).not.toEqual([token, 200]);
        }),
      );
    }),
    { numRuns: 50 },
  );
  // The mutations reach every stage.
  expect(seen).toContain('malformed/malformed_token');
  const late = ['unsupported/token_unsupported', 'unknown_keyset/unknown_keyset', '/invalid_signature'];
  expect(late.some((each) => seen.has(each))).toBe(true);
  expect((await wallet.call('GET', '/api/health')).status).toBe(200);
  const { balance, pending } = (await wallet.call('GET', '/api/wallet/balance')).body;
  expect(pending).toBe(0);
  expect(balance + mint.unspent(Object.values(bases))).toBe(33);
  expect((await wallet.receive(mint.issue(8))).body).toMatchObject({ success: true, amount: 8 });
});

test('500 random strings are malformed, blank ones no request at all (property)', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const text = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.base64String({ maxLength: 300 }).map((payload) => `cashuA${payload}`),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => `cashuB${Buffer.from(bytes).toString('base64url')}`),
    fc.jsonValue().map(asA),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 20 }), async (batch) => {
      await Promise.all(
        batch.map(async (token) => {
          const { status, body } = await wallet.receive(token);
          expect([status, body.code]).toEqual(
            token.trim() === '' ? [400, 'invalid_request'] : [422, 'malformed_token'],
          );
        }),
      );
    }),
    { numRuns: 25 },
  );
  expect(mint.requests()).toEqual([]);
});
