import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import {
  copyWallet,
  earn,
  expectConsistent,
  pay,
  putBack,
  startCopy,
} from '../../../support/wallet-copies.ts';
import { send, settle, sums, whileTimePasses } from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

test('a send ends if another copy spent its input and the mint signed part of its change for that copy', async () => {
  const mint = await testMint();
  let wallet = await startCopy(mint);
  const { directory } = wallet;
  // A proof of 32 sat pays for both sends.
  await earn(wallet, mint, 100);
  await wallet.close();
  const before = await copyWallet(directory);

  wallet = await startCopy(mint, { directory });
  mint.fail('/v1/swap', { kind: 'drop' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  expect((await whileTimePasses(wallet, send(wallet, 20))).body.code).toBe('send_pending');
  const pending = await copyWallet(directory);
  await wallet.close();
  mint.clearFaults();

  await putBack(before, directory);
  wallet = await startCopy(mint, { directory });
  const token = await pay(wallet, 30);
  await wallet.close();

  await putBack(pending, directory);
  wallet = await startCopy(mint, { directory });
  // Six minutes at a time: an hour is long enough for a mint that returns only a part of what it signed.
  await settle(wallet);
  const [entry] = (await readHistory(wallet)).filter(({ kind }) => kind === 'send');
  expect(entry).toMatchObject({ state: 'failed', error: { code: 'already_spent' } });
  await wallet.close();
  wallet = await startCopy(mint, { directory });
  wallet.clock.pass(60_001);
  await wallet.asOperator('POST', '/api/wallet/rescan', {});
  expect(mint.unspent([token])).toBe(30);
  expect(await sums(wallet)).toEqual({ balance: 70, pending: 0 });
  await expectConsistent(wallet, mint);
});

test('a search finds sats of another copy at the counters of a receive that was released', async () => {
  const mint = await testMint();
  let wallet = await startCopy(mint);
  const { directory } = wallet;
  await earn(wallet, mint, 100);
  await wallet.close();
  const before = await copyWallet(directory);

  wallet = await startCopy(mint, { directory });
  mint.fail('/v1/swap', { kind: 'drop', delayMs: 300 });
  const token = mint.issue(62, { withoutDleq: true });
  const swaps = mint.requestCount('/v1/swap');
  const receiving = wallet.receive(token);
  // Before its swap, the wallet asks whether the token is unspent.
  await until(() => mint.requestCount('/v1/swap') > swaps);
  mint.fail('/v1/checkstate', { kind: 'drop' });
  const { body } = await whileTimePasses(wallet, receiving);
  const path = `/api/wallet/operations/${body.operationId}/release`;
  expect((await wallet.asOperator('POST', path)).status).toBe(200);
  const released = await copyWallet(directory);
  await wallet.close();
  mint.clearFaults();

  await putBack(before, directory);
  wallet = await startCopy(mint, { directory });
  await earn(wallet, mint, 33);
  await wallet.close();

  await putBack(released, directory);
  wallet = await startCopy(mint, { directory });
  expect((await wallet.asOperator('POST', '/api/wallet/rescan', {})).status).toBe(200);
  expect(await wallet.balance()).toBe(133);
  expect(mint.unspent([token])).toBe(62);
  await expectConsistent(wallet, mint);
});
