import type { TestMint } from '../support/mint/test-mint.ts';
import { violationsInBothThemes } from './axe.ts';
import { expect, type Served } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { asOperator, openWallet, walletTest as test } from './wallet-page.ts';

/** Has the mint die in the middle of a send, so that it keeps processing 64 of the wallet's 100 sats. */
const leaveUnconfirmed = async (served: Served, mint: TestMint): Promise<void> => {
  await asOperator(served, 'receive', { token: mint.issue(101) });
  mint.fail('/v1/swap', { kind: 'pending', times: 1 });
  mint.fail('/v1/swap', { kind: 'status', status: 500 });
  await expect(asOperator(served, 'send', { amount: 40 })).rejects.toThrow();
  mint.clearFaults();
  const { entries } = await asOperator<{ entries: { id: string }[] }>(served, 'history');
  await asOperator(served, `operations/${entries[0]?.id}/release`, {});
  expect(await asOperator(served, 'check', {})).toMatchObject({ balance: 36, unconfirmed: 64 });
};

test('shows sats that the mint still processes, checks them by keyboard, and says how that ended', async ({
  page,
  served,
  mint,
}) => {
  await leaveUnconfirmed(served, mint);
  const { balance } = await openWallet(page, served, 'by keys');
  await expect(balance).toContainText('64 sat not confirmed');
  await expect(balance).toContainText('They aren’t in your balance until the mint confirms them.');
  await expect(balance.getByText('36 sat', { exact: true })).toBeVisible();
  const check = balance.getByRole('button', { name: 'Check now' });
  const status = balance.getByRole('status');
  await tabTo(page, check);
  await page.keyboard.press('Enter');
  await expect(status).toHaveText('The mint still hasn’t confirmed 64 sat. The wallet keeps checking.');
  await expect(check).toBeFocused();
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);

  await mint.away();
  await page.keyboard.press('Enter');
  await expect(balance.getByRole('alert')).toContainText('dot-mi can’t reach the mint');
  await expect(balance.getByRole('alert')).toContainText('mint_unreachable');
  await expect(status).toBeEmpty();
  await expect(check).toBeFocused();
  await mint.back();

  mint.fail('/v1/checkstate', { kind: 'hang' });
  await page.keyboard.press('Enter');
  const running = balance.getByRole('button', { name: 'Checking…' });
  await expect(running).toBeFocused();
  await expect(running).toBeDisabled();
  await expect(balance.getByRole('alert')).toHaveCount(0);
  mint.clearPending();
  mint.clearFaults();
  await expect(status).toHaveText('The mint confirmed all sats.');
  await expect(balance).not.toContainText('not confirmed');
  await expect(balance.getByText('100 sat', { exact: true })).toBeVisible();
  await expect(balance).toBeFocused();
});

test('says that the balance isn’t checked yet, until the mint has responded', async ({
  page,
  served,
  mint,
}) => {
  await asOperator(served, 'receive', { token: mint.issue(101) });
  await served.kill();
  await mint.away();
  await served.startAgain();
  const { balance } = await openWallet(page, served);
  await expect(balance).toContainText('Not checked with the mint yet');
  await mint.back();
  await asOperator(served, 'check', {});
  await expect(balance.getByText('100 sat', { exact: true })).toBeVisible();
  await expect(balance).not.toContainText('Not checked');
});

test.describe('at a mint that takes a sat for each input', () => {
  test.use({ mintFeePpk: 1_000 });

  test('says which part of the balance costs more in fees than it’s worth', async ({
    page,
    served,
    mint,
  }) => {
    // The wallet holds 8, 4, 2 and 1.
    await asOperator(served, 'receive', { token: mint.issue(16, { withoutDleq: true }) });
    const { balance } = await openWallet(page, served);
    await expect(balance.getByText('15 sat', { exact: true })).toBeVisible();
    await expect(balance).toContainText('1 sat of the balance are in proofs that cost more in fees');
  });
});
