import { expect, test } from 'vitest';
import { openAndPay, quoteFor, refundOf, releaseCharge } from '../../support/charges.ts';
import { firstQuick } from '../../support/first-quick.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { editA, serveWallet } from '../../support/wallet.ts';

test('a forged amount that no key of the mint signs is refused at once, and delays no other request', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const good = mint.issue(8);
  for (const amount of [2 ** 45, 2 ** 32 + 1, 3, Number.MAX_SAFE_INTEGER]) {
    const forged = editA(mint.issue(8, { version: 'A', forged: true }), ({ token: [entry] }) => {
      for (const proof of entry?.proofs ?? []) proof.amount = amount;
    });
    const { status, body } = await wallet.receive(forged);
    expect([amount, status, body.code]).toEqual([amount, 422, 'invalid_signature']);
    expect((await wallet.validate(forged)).body).toMatchObject({ valid: false, reason: 'invalid_signature' });
  }
  expect((await wallet.receive(good)).body).toMatchObject({ success: true, amount: 8 });
});

test('a refund looks up no token with more proofs than can have paid, and still finds one from before a lower limit', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ limits: { maxInputs: 40 } });
  const wallet = await serveWallet(mint.url);
  const issue = (proofCount: number) => mint.issue(64, { version: 'A', withoutDleq: true, proofCount });
  const token = issue(40);
  const { id } = (await openAndPay(wallet, 4, token)).body;
  await releaseCharge(wallet, id);
  mint.setLimits({ maxInputs: 20 });
  expect((await wallet.receive(issue(41))).body.limit).toBe(20);
  const withForged = (count: number) =>
    editA(token, ({ token: [entry] }) => {
      const [proof] = entry?.proofs ?? [];
      for (let at = 0; at < count; at++) entry?.proofs.push({ ...proof, secret: `forged ${at}` });
    });
  const refused = await refundOf(wallet, withForged(961));
  expect([refused.status, refused.body.code]).toEqual([404, 'charge_not_found']);
  for (const known of [token, withForged(960)])
    expect((await refundOf(wallet, known)).body.refund).toMatchObject({ amount: 64 });
});

// 20: the mint takes no more states at once either.
for (const [tags, rows] of firstQuick(1, [200, 20]))
  test.each(rows)(
    'a token over the limit of %d inputs is too large, with the limit',
    { tags },
    async (maxInputs) => {
      const mint = await testMint({ limits: { maxInputs } });
      const wallet = await serveWallet(mint.url);
      const token = mint.issue(2 * maxInputs, { proofCount: maxInputs + 1, withoutDleq: true });
      const { status, body } = await wallet.receive(token);
      expect([status, body.code]).toEqual([422, 'token_too_large']);
      expect(body.error).toContain(`at most ${maxInputs} inputs`);
      expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({
        balance: 0,
        pending: 0,
      });
      expect(mint.totals().spent).toBe(0);
      const fits = mint.issue(2 * maxInputs, { proofCount: maxInputs, withoutDleq: true });
      expect((await wallet.receive(fits)).body).toMatchObject({ success: true, amount: 2 * maxInputs });
    },
  );

test('a text with a hundred thousand beginnings of tokens is read by the mint’s thread, up to a hundred', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const { status, body } = await wallet.validate('cashuA{'.repeat(128_000));
  expect([status, body.valid, body.reason]).toEqual([200, false, 'malformed']);
  const many = Array.from({ length: 150 }, () => mint.issue(1)).join('\n');
  expect((await wallet.validate(many)).body.message).toBe(
    'This text has at least 100 tokens. Send them one at a time.',
  );
  expect((await wallet.receive(many)).body.error).toContain('at least 100 tokens');
});

test('a price is answered whatever fee the mint lists, and a keyset with an absurd one is not used', async () => {
  const quoteAt = async (inputFeePpk: number) => {
    const mint = await testMint({ keysets: [{ inputFeePpk }] });
    const wallet = await serveWallet(mint.url);
    const { status, body } = await quoteFor(wallet, 1);
    return { status, faceValue: body.faceValue, received: await wallet.receive(mint.issue(8)) };
  };
  const greedy = await quoteAt(1e12);
  expect([greedy.status, greedy.received.status]).toEqual([200, 502]);
  const { status, faceValue } = await quoteAt(1_000_000);
  const proofs = faceValue.toString(2).replaceAll('0', '').length;
  expect([status, faceValue - 1_000 * proofs >= 1, faceValue < 60_000]).toEqual([200, true, true]);
});
