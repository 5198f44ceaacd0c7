import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { pay } from '../../support/wallet-copies.ts';
import { reclaim, send, serveTimedWallet, sums } from '../../support/wallet-recovery.ts';

/** Tokens that their own fee would use up. */

test.each([
  [100, [1]],
  [600, [1]],
  [2_000, [1, 2, 3]],
])(
  'at %i sat per 1,000 inputs, a send of %j sat is refused, and the next one can be redeemed',
  async (inputFeePpk, small) => {
    const mint = await testMint({ keysets: [{ inputFeePpk }] });
    const wallet = await serveTimedWallet(mint);
    await wallet.receive(mint.issue(64, { withoutDleq: true }));
    const before = [await sums(wallet), mint.requestCount('/v1/swap')];
    for (const amount of small) {
      const { status, body } = await send(wallet, amount);
      expect([amount, status, body.code]).toEqual([amount, 422, 'amount_below_fee']);
      expect(body.error).toContain(`a token of ${amount} sat`);
    }
    expect([await sums(wallet), mint.requestCount('/v1/swap')]).toEqual(before);
    const { body } = await send(wallet, small.length + 1);
    const back = await reclaim(wallet, body.operationId);
    expect([back.status, back.body.amount > 0]).toEqual([200, true]);
  },
);

test('without a fee, a token of 1 sat can be sent', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(8));
  expect(mint.unspent([await pay(wallet, 1)])).toBe(1);
});

test('the balance names proofs that cost more than they are worth, and a send leaves them out', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(16, { withoutDleq: true }));
  const read = async () => (await wallet.call('GET', '/api/wallet/balance')).body;
  // The fee is 1 sat, so the wallet holds 8, 4, 2 and 1.
  expect(await read()).toMatchObject({ balance: 15, dust: 1 });
  const { body } = await send(wallet, 13);
  expect(body.code).toBe('insufficient_funds');
  await send(wallet, 8);
  expect((await read()).dust).toBe(1);
});
