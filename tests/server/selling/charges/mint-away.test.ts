import { expect, test } from 'vitest';
import {
  askFor,
  openAndPay,
  payCharge,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../support/charges.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { serveTimedWallet, settle, whileTimePasses } from '../../../support/wallet-recovery.ts';

/** What the routes of charges answer while the mint is away. */

const start = async () => {
  const mint = await testMint();
  return { mint, wallet: await serveTimedWallet(mint, { mintTimeoutMs: 500 }) };
};

/** A wallet that knows the keysets of its mint. */
const startKnown = async () => {
  const { mint, wallet } = await start();
  const { body: charge } = await askFor(wallet, 5);
  return { mint, wallet, charge };
};

const issue = (mint: TestMint) => mint.issue(8, { withoutDleq: true });

test('a mint that was never reached can’t be quoted for, and its token stays untouched', {
  tags: 'slow',
}, async () => {
  const { mint, wallet } = await start();
  const token = issue(mint);
  await mint.away();
  for (const call of [askFor(wallet, 5), openAndPay(wallet, 5, token)]) {
    const { status, body } = await whileTimePasses(wallet, call);
    expect([status, body.code]).toEqual([503, 'mint_unreachable']);
  }
  expect(mint.unspent([token])).toBe(8);
});

test('a token of a mint that is away pays nothing, and pays once it is back', { tags: 'slow' }, async () => {
  const { mint, wallet, charge } = await startKnown();
  const token = issue(mint);
  await mint.away();
  for (const pay of [() => payCharge(wallet, charge.id, token), () => openAndPay(wallet, 5, token)]) {
    const { status, body } = await whileTimePasses(wallet, pay());
    expect([status, body.code]).toEqual([503, 'mint_unreachable']);
  }
  await mint.back();
  expect((await payCharge(wallet, charge.id, token)).body.state).toBe('held');
});

test.each([
  ['settled', (...[wallet, id]: Parameters<typeof releaseCharge>) => settleCharge(wallet, id, 5), 3],
  ['released', releaseCharge, 8],
] as const)(
  'a charge is %s while the mint is away, and its customer gets a token later',
  async (_, finish, left) => {
    const { mint, wallet, charge } = await startKnown();
    const token = issue(mint);
    await payCharge(wallet, charge.id, token);
    await mint.away();
    for (const call of [finish(wallet, charge.id), refundOf(wallet, token)]) {
      const { status, body } = await whileTimePasses(wallet, call);
      expect([status, ['mint_unreachable', 'send_pending'].includes(body.code)]).toEqual([503, true]);
    }
    await mint.back();
    await settle(wallet);
    const refund = await refundOf(wallet, token);
    expect(mint.unspent([refund.body.refund.token])).toBe(left);
  },
);
