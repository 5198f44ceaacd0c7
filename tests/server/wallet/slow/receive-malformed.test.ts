import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { editA, serveWallet } from '../../../support/wallet.ts';

const asA = (value: unknown) => `cashuA${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const asB = (bytes: Buffer) => `cashuB${bytes.toString('base64url')}`;

test('text that isn’t a whole token is malformed on both routes, and no mint is asked', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const a = mint.issue(13, { version: 'A' });
  const b = mint.issue(13);
  const withProof = (edit: Record<string, unknown>) =>
    editA(a, ({ token: [entry] }) => void Object.assign(entry?.proofs[0] ?? {}, edit));
  const proof = { id: '00ad268c4d1f5826', amount: 1, secret: 'x', C: `02${'a'.repeat(64)}` };
  const malformed: Record<string, string> = {
    words: 'hello',
    'A alone': 'cashuA',
    'B alone': 'cashuB',
    'version C': `cashuC${a.slice(6)}`,
    'prefix in lower case': `cashua${a.slice(6)}`,
    'A read as B': `cashuB${a.slice(6)}`,
    'B read as A': `cashuA${b.slice(6)}`,
    'two tokens': `${a}${b}`,
    'a token behind one of version 4': `${b}${a}`,
    'more behind one of version 4': `${b}AAAA`,
    'cut A': a.slice(0, -20),
    'cut B': b.slice(0, -20),
    'the end alone': a.slice(20),
    'other characters': `${a.slice(0, 30)}!${a.slice(31)}`,
    'JSON null': asA(null),
    'JSON text': asA('token'),
    'no entries': asA({ token: [] }),
    'no proofs': asA({ token: [{ mint: mint.url, proofs: [] }] }),
    'proofs are no list': asA({ token: [{ mint: mint.url, proofs: { length: 1 } }] }),
    'mint is no text': asA({ token: [{ mint: 5, proofs: [proof] }] }),
    'mint is empty': asA({ token: [{ mint: '', proofs: [proof] }] }),
    'unit is no text': asA({ token: [{ mint: mint.url, proofs: [proof] }], unit: 5 }),
    'unit is empty': asA({ token: [{ mint: mint.url, proofs: [proof] }], unit: '' }),
    'memo is no text': asA({ token: [{ mint: mint.url, proofs: [proof] }], memo: {} }),
    'same proof twice': editA(a, ({ token: [entry] }) => void entry?.proofs.push({ ...entry.proofs[0] })),
    'same secret, other amount': editA(a, ({ token: [entry] }) => {
      entry?.proofs.push({ ...entry.proofs[0], amount: 4 });
    }),
    'sum over 2^53': asA({
      token: [
        {
          mint: mint.url,
          proofs: [
            { ...proof, amount: Number.MAX_SAFE_INTEGER },
            { ...proof, secret: 'y' },
          ],
        },
      ],
    }),
    'empty CBOR': asB(Buffer.from([0xa0])),
    'deep CBOR': asB(Buffer.alloc(1_500_000, 0x81)),
    'CBOR with a length it has not': asB(Buffer.from('bb00ffffffffffffff', 'hex')),
    'CBOR array of 2^32': asB(Buffer.from('9affffffff', 'hex')),
    'CBOR text of 2^53': asB(Buffer.from('7b0020000000000000', 'hex')),
    'endless CBOR': asB(Buffer.from('9f9f9f', 'hex')),
    'deep JSON': `cashuA${Buffer.from('['.repeat(1_500_000)).toString('base64url')}`,
  };
  for (const amount of [
    -1,
    0,
    1.5,
    2 ** 53,
    1e300,
    '',
    '0',
    '-1',
    '1.5',
    '9'.repeat(16),
    null,
    true,
    [1],
    {},
  ]) {
    malformed[`amount ${JSON.stringify(amount)}`] = withProof({ amount });
  }
  for (const field of ['id', 'secret', 'C', 'dleq', 'witness']) {
    // A witness may be an object; what is in it counts only where there is a lock.
    for (const value of [5, true, 'x'.repeat(20_000), ...(field === 'witness' ? [] : [['x']])]) {
      malformed[`${field} ${JSON.stringify(value).slice(0, 10)}`] = withProof({ [field]: value });
    }
    if (field !== 'dleq' && field !== 'witness')
      malformed[`${field} missing`] = withProof({ [field]: undefined });
  }
  Object.assign(malformed, {
    'C of 65 bytes': withProof({ C: `04${'a'.repeat(128)}` }),
    'id with a path': withProof({ id: '../../../v1/info' }),
    'dleq cut': withProof({ dleq: { e: 'ab', s: 'cd', r: 'ef' } }),
    'dleq without s': withProof({ dleq: { e: 'a'.repeat(64), r: 'a'.repeat(64) } }),
  });

  for (const [what, token] of Object.entries(malformed)) {
    const validated = await wallet.validate(token);
    expect([what, validated.status, validated.body]).toEqual([
      what,
      200,
      { valid: false, amount: 0, mint: '', reason: 'malformed', message: expect.any(String) },
    ]);
    const received = await wallet.receive(token);
    expect([what, received.status, received.body.code]).toEqual([what, 422, 'malformed_token']);
    expect(received.body.error).toMatch(/^[A-Z][^\n]{20,200}\.$/);
  }
  expect(mint.requests()).toEqual([]);
  expect((await wallet.receive(a)).body).toMatchObject({ success: true, amount: 13 });
  expect((await wallet.receive(b)).body).toMatchObject({ success: true, amount: 13 });
});

test('a token near the limit of a body is read, and one over it is 413', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const limit = 2 * 1024 * 1024;
  const spaces = ' '.repeat(limit - 20_000);
  expect((await wallet.validate(spaces + mint.issue(8))).body).toMatchObject({ valid: true, amount: 8 });
  for (const token of ['cashuA', 'cashuB', 'x']) {
    const { status, body } = await wallet.receive(token.padEnd(limit - 100, 'e'));
    expect([status, body.code]).toEqual([422, 'malformed_token']);
  }
  const over = await wallet.receive('cashuB'.padEnd(limit, 'e'));
  expect([over.status, over.body.code]).toEqual([413, 'body_too_large']);
  expect((await wallet.receive(`${spaces}${mint.issue(8)}`)).body).toMatchObject({
    success: true,
    amount: 8,
  });
});
