import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { copyWallet, earn, expectConsistent, pay, putBack, startCopy } from '../../support/wallet-copies.ts';
import { send, settle, sums, whileTimePasses } from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

test('a send ends whose input another copy spent, and whose change the mint signed in part for that copy', async () => {
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
