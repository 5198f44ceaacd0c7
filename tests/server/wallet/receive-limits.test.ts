import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { editA, serveWallet } from '../../support/wallet.ts';

test('a forged amount that no key of the mint signs is refused at once, and delays no other request', async () => {
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

// 20: the mint takes no more states at once either.
test.each([200, 20])(
  'a token over the limit of %d inputs is too large, with the limit',
  async (maxInputs) => {
    const mint = await testMint({ limits: { maxInputs } });
    const wallet = await serveWallet(mint.url);
    const token = mint.issue(2 * maxInputs, { proofCount: maxInputs + 1, withoutDleq: true });
    const { status, body } = await wallet.receive(token);
    expect([status, body.code]).toEqual([422, 'token_too_large']);
    expect(body.error).toContain(`at most ${maxInputs} inputs`);
    expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 0, pending: 0 });
    expect(mint.totals().spent).toBe(0);
    const fits = mint.issue(2 * maxInputs, { proofCount: maxInputs, withoutDleq: true });
    expect((await wallet.receive(fits)).body).toMatchObject({ success: true, amount: 2 * maxInputs });
  },
);
