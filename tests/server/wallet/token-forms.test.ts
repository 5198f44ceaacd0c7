import { PaymentRequest } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { pastedToken } from '../../../src/server/wallet/mint/token-text.ts';
import { readCbor } from '../../../src/shared/cbor.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { openAdapter } from '../../support/mint-adapter.ts';
import { editA, editProofs, serveWallet } from '../../support/wallet.ts';

/** Forms of tokens that other wallets write and read. */

/** A version 4 token with changed bytes. */
const editB = (token: string, edit: (bytes: Buffer) => Uint8Array[]): string =>
  `cashuB${Buffer.concat(edit(Buffer.from(token.slice(6), 'base64url'))).toString('base64url')}`;

const upper = (value: unknown): string => String(value).toUpperCase();

const FORMS: Record<string, { version: 'A' | 'B'; edit: (token: string) => string }> = {
  'a memo and a unit of null': {
    version: 'A',
    edit: (token) => editA(token, (json) => ({ ...json, memo: null, unit: null })),
  },
  'amounts as text': {
    version: 'A',
    edit: (token) => editProofs(token, (proof) => ({ ...proof, amount: String(proof.amount) })),
  },
  'a keyset id in upper case': {
    version: 'A',
    edit: (token) => editProofs(token, (proof) => ({ ...proof, id: upper(proof.id) })),
  },
  'a signature in upper case': {
    version: 'A',
    edit: (token) => editProofs(token, (proof) => ({ ...proof, C: upper(proof.C) })),
  },
  'the CBOR tag': {
    version: 'B',
    edit: (token) => editB(token, (bytes) => [Uint8Array.of(0xd9, 0xd9, 0xf7), bytes]),
  },
  'a map of indefinite length': {
    version: 'B',
    edit: (token) => editB(token, (bytes) => [Uint8Array.of(0xbf), bytes.subarray(1), Uint8Array.of(0xff)]),
  },
};

test.each(Object.keys(FORMS))('a token with %s is valid and can be received', async (name) => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const form = FORMS[name];
  const token = form?.edit(mint.issue(9, { version: form.version })) ?? '';
  expect((await wallet.validate(`for you: ${token} bye`)).body).toMatchObject({ valid: true, amount: 9 });
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 9 });
});

test('what a wallet sends for a payment request counts as a token (NUT-18)', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(9, { version: 'A', memo: 'für dich' });
  const {
    memo,
    unit,
    token: entries,
  } = JSON.parse(Buffer.from(token.slice(6), 'base64url').toString('utf8'));
  const payload = JSON.stringify({ id: 'b7a90176', memo, ...entries[0], unit }, null, 2);
  expect(pastedToken(` ${payload}\n`)).toBe(token);
  expect((await wallet.validate(payload)).body).toMatchObject({ valid: true, amount: 9, memo });
  expect((await wallet.receive(payload)).body).toMatchObject({ success: true, amount: 9 });
  expect((await wallet.receive(token)).body.code).toBe('token_spent');
  for (const other of ['{"mint":1,"proofs":[]}', '{"mint":"https://m"}', '{}', '{"mint":'])
    expect((await wallet.receive(other)).body.code).toBe('malformed_token');
});

test('a token of a later keyset version is called unsupported', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  for (const id of [`02${'a'.repeat(14)}`, `02${'a'.repeat(64)}`, `02${'a'.repeat(96)}`]) {
    const token = editProofs(mint.issue(9, { version: 'A' }), (proof) => ({ ...proof, id }));
    const { body } = await wallet.validate(token);
    expect([body.valid, body.reason, body.amount]).toEqual([false, 'unsupported', 9]);
    expect((await wallet.receive(token)).body.code).toBe('token_unsupported');
  }
});

test('a payment request uses only characters that are safe in an address, and others can read it', async () => {
  const mint = await testMint({ path: '/Bitcoin' });
  const adapter = openAdapter(mint);
  for (let amount = 1; amount <= 400; amount++) {
    const request = await adapter.request(amount);
    expect(request).toMatch(/^creqA[\w=-]+$/);
    const read = PaymentRequest.fromEncodedRequest(request);
    expect([read.amount?.toNumber(), read.mints]).toEqual([amount, [mint.url]]);
  }
});

test('a token on a keyset that expired at the mint is refused by name (NUT-02, 12003)', async () => {
  const mint = await testMint({ keysets: [{}] });
  const { id } = mint.rotate({ expiresInSeconds: 3600, keepOld: true });
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8, { keysetId: id, withoutDleq: true });
  expect((await wallet.receive(mint.issue(1, { keysetId: id, withoutDleq: true }))).status).toBe(200);
  mint.setTime(Date.now() / 1000 + 3601);
  expect((await wallet.receive(token)).body).toMatchObject({
    code: 'mint_refused',
    mintCode: 12_003,
    error: expect.stringContaining('keyset has expired'),
  });
});

test('CBOR is read as RFC 8949 says, and anything incomplete is refused', () => {
  const read = (hex: string) => readCbor(Buffer.from(hex, 'hex'));
  expect(read('9f0102ff00')).toEqual({ value: [1, 2], length: 4 });
  expect(read('7f61616162ff')).toEqual({ value: 'ab', length: 6 });
  expect(read('5f41014102ff').value).toEqual(Uint8Array.of(1, 2));
  expect(read('bf6161f6ff').value).toEqual(expect.objectContaining({ a: null }));
  expect(read('d9d9f781f5').value).toEqual([true]);
  expect(read('1b0020000000000000').value).toBe(2 ** 53);
  expect(read('3863').value).toBe(-100);
  for (const wrong of [
    '',
    'ff',
    '81',
    '9f',
    '81ff',
    '6261',
    '1a00',
    '1c',
    'bf61ff',
    'bf6161ff',
    '1f',
    '5f6161ff',
  ])
    expect(() => read(wrong), wrong).toThrow(RangeError);
  expect(() => read('81'.repeat(100))).toThrow('not CBOR');
});
