import { test as base, expect, type Served } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import {
  dropFile,
  openWallet,
  SIMULATED_MINT,
  simulatedToken,
  walletPage,
  watchKeys,
} from './wallet-page.ts';

base.describe('in DEV_MODE', () => {
  const test = base;
  const wallet = walletPage;
  test.use({ environment: { MINT_URL: SIMULATED_MINT } });

  const redeem = ({ url }: Served, token: string) =>
    fetch(`${url}/api/wallet/receive`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });

  test('decodes a pasted token, receives it, and shows it in the balance and the history', async ({
    page,
    served,
  }) => {
    await openWallet(page, served);
    await expect(page.getByRole('main').getByText('Test money', { exact: true })).toBeVisible();
    await expect(wallet(page).balance).toContainText('0 sat');
    await expect(wallet(page).mint).toContainText('mint.example');
    await expect(wallet(page).mint).toContainText('not contacted');
    await expect(page.getByText('Nothing yet')).toBeVisible();
    await expect(page.getByRole('main').getByRole('button', { name: 'Get 100 test sats' })).toBeVisible();
    await wallet(page).open('Receive');
    await expect(wallet(page).field).toBeFocused();
    await expect(wallet(page).receiveButton).toBeDisabled();

    // The API accepts any text as a test token. The window doesn't.
    await wallet(page).field.fill('lunch');
    await expect(wallet(page).receive).toContainText('This isn’t a Cashu token');
    await expect(wallet(page).receiveButton).toBeDisabled();

    const token = simulatedToken(4096, 'for the summary');
    // As mail breaks it, and as a link.
    await wallet(page).field.fill(` cashu:${token.slice(0, 40)}\r\n${token.slice(40)}\n`);
    await expect(wallet(page).receive).toContainText('Not checked');
    await expect(wallet(page).receive).toContainText('4,096 sat');
    await expect(wallet(page).receive).toContainText('for the summary');
    await expect(wallet(page).rows).toHaveCount(0);
    await wallet(page).receiveButton.click();
    await expect(wallet(page).receive).toContainText('Received 4,096 sat');
    await expect(wallet(page).balance).toContainText('4,096 sat');
    await expect(wallet(page).rows).toHaveCount(1);
    await expect(wallet(page).rows.first()).toContainText('+4,096 sat');
    await expect(wallet(page).rows.first()).toContainText('for the summary');
    await expect(wallet(page).field).toHaveValue('');
    await expect(wallet(page).field).toBeFocused();

    // A token is money: it stays out of the address, and out of what the browser keeps.
    await expect(page).toHaveURL(`${served.url}/wallet`);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain('cashu');
  });

  test('accepts the same token again, as DEV_MODE does, with a new key', async ({ page, served }) => {
    const keys = watchKeys(page, 'receive');
    await (await openWallet(page, served)).open('Receive');
    for (const sum of ['8 sat', '16 sat']) {
      await wallet(page).field.fill(simulatedToken(8));
      // At once: the token is received as soon as its check is there.
      await wallet(page).field.press('ControlOrMeta+Enter');
      await expect(wallet(page).field).toHaveValue('');
      await expect(wallet(page).balance).toContainText(sum);
    }
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  test('can be used by keyboard alone', async ({ page, served }) => {
    await openWallet(page, served, 'by keys');
    await wallet(page).open('Receive', 'by keys');
    await expect(wallet(page).field).toBeFocused();
    await page.keyboard.insertText(simulatedToken(2));
    await expect(wallet(page).receive).toContainText('2 sat');
    // Past the agent and the label.
    for (let fields = 0; fields < 3; fields++) await page.keyboard.press('Tab');
    await expect(wallet(page).receiveButton).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(wallet(page).receive).toContainText('Received 2 sat');
    await expect(wallet(page).field).toBeFocused();
    // The sheet keeps the focus until it closes.
    await tabTo(page, wallet(page).receive.getByRole('button', { name: 'Close' }));
    await page.keyboard.press('Tab');
    await expect(wallet(page).field).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(wallet(page).receive).toHaveCount(0);
    await expect(page.getByRole('main').getByRole('button', { name: 'Receive' })).toBeFocused();
    await tabTo(page, page.getByRole('button', { name: 'Copy mint URL' }));
  });

  test('without the operator token says how to see the history, and shows it once the printed address is opened', async ({
    page,
    served,
  }) => {
    await redeem(served, simulatedToken(64));
    await page.goto(`${served.url}/wallet`);
    await expect(
      page.getByRole('heading', { name: 'Sign in to send sats and see the history' }),
    ).toBeVisible();
    await expect(wallet(page).balance).toContainText('64 sat');
    await expect(wallet(page).rows).toHaveCount(0);
    // What needs no token goes on.
    await wallet(page).open('Receive');
    await wallet(page).field.fill(simulatedToken(1));
    await expect(wallet(page).receive).toContainText('1 sat');
    await wallet(page).receiveButton.click();
    await expect(wallet(page).balance).toContainText('65 sat');
    // The token over the address of this very page: the browser loads nothing anew.
    await page.goto(`${served.url}/wallet${new URL(served.pageUrl).hash}`);
    await expect(wallet(page).rows).toHaveCount(2);
    await expect(page).toHaveURL(`${served.url}/wallet`);
  });

  test('reads a long history page by page, and keeps the focus when the last page is there', async ({
    page,
    served,
  }) => {
    for (let count = 1; count <= 60; count++) await redeem(served, simulatedToken(count));
    await openWallet(page, served);
    await expect(wallet(page).rows).toHaveCount(50);
    await expect(wallet(page).rows.first()).toContainText('+60 sat');
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await expect(wallet(page).rows).toHaveCount(60);
    await expect(page.getByRole('list', { name: 'Operations, newest first' })).toBeFocused();
    await expect(wallet(page).rows.last()).toContainText('+1 sat');
  });

  test('follows what agents receive, within a second', async ({ page, served }) => {
    await openWallet(page, served);
    await expect(page.getByText('Connected')).toBeAttached();
    await expect(page.getByText('Nothing yet')).toBeVisible();
    await redeem(served, simulatedToken(128, 'from an agent'));
    await expect(wallet(page).balance).toContainText('128 sat');
    await expect(wallet(page).rows).toHaveCount(1);
  });

  test('retries with the same key when the response was lost, so that nothing counts twice', async ({
    page,
    served,
  }) => {
    const keys = watchKeys(page, 'receive');
    await (await openWallet(page, served)).open('Receive');
    await page.route('**/api/wallet/receive', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await wallet(page).field.fill(simulatedToken(32));
    await expect(wallet(page).receive).toContainText('32 sat');
    await wallet(page).receiveButton.click();
    await expect(wallet(page).receive).toContainText(
      'dot-mi can’t tell whether the wallet received the token',
    );
    await expect(wallet(page).receive).toContainText('offline');
    await page.unroute('**/api/wallet/receive');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(wallet(page).receive).toContainText('Received 32 sat');
    await expect(wallet(page).balance).toContainText('32 sat');
    await expect(wallet(page).rows).toHaveCount(1);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test('opens Receive for a token that is dropped or pasted on the page, and keeps it while another page is shown', async ({
    page,
    context,
    served,
  }) => {
    await openWallet(page, served);
    await dropFile(page, wallet(page).balance, 'token.txt', simulatedToken(512));
    await expect(wallet(page).receive).toContainText('512 sat');
    await wallet(page).close();
    await expect(page.getByText('A token is waiting to be received.')).toBeVisible();
    await page.getByRole('link', { name: 'Catalog' }).click();
    await page.getByRole('link', { name: 'Wallet' }).click();
    await wallet(page).open('Receive');
    await expect(wallet(page).field).toHaveValue(simulatedToken(512));
    await wallet(page).receiveButton.click();
    await expect(wallet(page).balance).toContainText('512 sat');
    await wallet(page).close();

    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
    await page.evaluate((text) => navigator.clipboard.writeText(text), simulatedToken(7));
    await page.getByRole('main').getByRole('button', { name: 'Receive' }).focus();
    await page.keyboard.press('ControlOrMeta+V');
    await expect(wallet(page).field).toHaveValue(simulatedToken(7));
  });

  test('logs no error and breaks no policy, in light and dark, wide and small', async ({ page, served }) => {
    await redeem(served, simulatedToken(2_000_000_000, 'x'.repeat(900)));
    await page.goto(served.pageUrl);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const size of [
        { width: 1280, height: 800 },
        { width: 800, height: 600 },
      ]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        await page.goto(`${served.url}/wallet`);
        await expect(wallet(page).rows).toHaveCount(1);
        const overflow = await page.evaluate(() => document.body.scrollWidth - document.body.clientWidth);
        expect(overflow).toBe(0);
      }
    }
  });
});
