import type { Page } from '@playwright/test';
import { startTestMint, type TestMint } from '../support/mint/test-mint.ts';
import { test as base, expect, type Served } from './fixtures.ts';

const field = (page: Page) => page.getByRole('textbox', { name: 'Cashu token' });
const receiveButton = (page: Page) => page.getByRole('button', { name: 'Receive', exact: true });
const balance = (page: Page) => page.getByRole('region', { name: 'Balance' });
const receive = (page: Page) => page.getByRole('region', { name: 'Receive' });
const mintPart = (page: Page) => page.getByRole('region', { name: 'Mint' });
const rows = (page: Page) =>
  page.getByRole('list', { name: 'Operations, newest first' }).getByRole('listitem');

/** Opens the wallet as the operator does: at the printed address, then by the rail. */
const openWallet = async (page: Page, { pageUrl }: Served) => {
  await page.goto(pageUrl);
  await page.getByRole('link', { name: 'Wallet' }).click();
  await expect(balance(page)).toBeVisible();
};

/** What the page said to a route of the wallet, and under which keys. */
const watchReceives = (page: Page): string[] => {
  const keys: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/wallet/receive')) keys.push(request.headers()['idempotency-key'] ?? '');
  });
  return keys;
};

base.describe('in DEV_MODE', () => {
  const test = base;
  const MINT = 'https://mint.example/Bitcoin';
  test.use({ environment: { MINT_URL: MINT } });

  /** A token that nobody signed, which DEV_MODE does not mind. */
  const makeToken = (amount: number, memo?: string): string => {
    const proof = { id: '009a1f293253e41e', amount, secret: `s${amount}`, C: `02${'a'.repeat(64)}` };
    const token = { token: [{ mint: MINT, proofs: [proof] }], unit: 'sat', memo };
    return `cashuA${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
  };

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
    await expect(page.getByText('DEV MODE: tokens are not checked, payments are simulated')).toBeVisible();
    await expect(receive(page)).toContainText('DEV MODE: nothing is checked.');
    await expect(balance(page)).toContainText('0 sat');
    await expect(mintPart(page)).toContainText('mint.example');
    await expect(mintPart(page)).toContainText('simulated');
    await expect(page.getByText('Nothing yet')).toBeVisible();
    await expect(receiveButton(page)).toBeDisabled();

    const token = makeToken(4096, 'for the summary');
    // As mail breaks it, and as a link.
    await field(page).fill(` cashu:${token.slice(0, 40)}\r\n${token.slice(40)}\n`);
    await expect(receive(page)).toContainText('Not checked');
    await expect(receive(page)).toContainText('4,096 sat');
    await expect(receive(page)).toContainText('for the summary');
    await expect(rows(page)).toHaveCount(0);
    await receiveButton(page).click();
    await expect(receive(page)).toContainText('Received 4,096 sat');
    await expect(balance(page)).toContainText('4,096 sat');
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page).first()).toContainText('+4,096 sat');
    await expect(rows(page).first()).toContainText('for the summary');
    await expect(field(page)).toHaveValue('');
    await expect(field(page)).toBeFocused();

    // A token is money: it stays out of the address, and out of what the browser keeps.
    await expect(page).toHaveURL(`${served.url}/wallet`);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain('cashu');
  });

  test('takes the same token again, as DEV_MODE does, with a new key', async ({ page, served }) => {
    const keys = watchReceives(page);
    await openWallet(page, served);
    for (const sum of ['8 sat', '16 sat']) {
      await field(page).fill(makeToken(8));
      // At once: the token is received as soon as its check is there.
      await field(page).press('ControlOrMeta+Enter');
      await expect(field(page)).toHaveValue('');
      await expect(balance(page)).toContainText(sum);
    }
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  test('can be used by keyboard alone', async ({ page, served }) => {
    await openWallet(page, served);
    await page.getByRole('link', { name: 'Wallet' }).focus();
    for (let presses = 0; presses < 12; presses++) {
      if (await field(page).evaluate((element) => element === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    await expect(field(page)).toBeFocused();
    await page.keyboard.insertText(makeToken(2));
    await expect(receive(page)).toContainText('2 sat');
    await page.keyboard.press('Tab');
    await expect(receiveButton(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(receive(page)).toContainText('Received 2 sat');
    await expect(field(page)).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Copy mint URL' })).toBeFocused();
  });

  test('without the operator token says how to see the history, and shows it once the printed address is opened', async ({
    page,
    served,
  }) => {
    await redeem(served, makeToken(64));
    await page.goto(`${served.url}/wallet`);
    await expect(page.getByRole('heading', { name: 'The history needs the operator token' })).toBeVisible();
    await expect(balance(page)).toContainText('64 sat');
    await expect(rows(page)).toHaveCount(0);
    // What needs no token goes on.
    await field(page).fill(makeToken(1));
    await expect(receive(page)).toContainText('1 sat');
    await receiveButton(page).click();
    await expect(balance(page)).toContainText('65 sat');
    // The token over the address of this very page: the browser loads nothing anew.
    await page.goto(`${served.url}/wallet${new URL(served.pageUrl).hash}`);
    await expect(rows(page)).toHaveCount(2);
    await expect(page).toHaveURL(`${served.url}/wallet`);
  });

  test('reads a long history page by page, and keeps the focus when the last page is there', async ({
    page,
    served,
  }) => {
    for (let count = 1; count <= 60; count++) await redeem(served, makeToken(count));
    await openWallet(page, served);
    await expect(rows(page)).toHaveCount(50);
    await expect(rows(page).first()).toContainText('+60 sat');
    await page.getByRole('button', { name: 'Show more' }).press('Enter');
    await expect(rows(page)).toHaveCount(60);
    await expect(page.getByRole('list', { name: 'Operations, newest first' })).toBeFocused();
    await expect(rows(page).last()).toContainText('+1 sat');
  });

  test('follows what agents receive, within a second', async ({ page, served }) => {
    await openWallet(page, served);
    await expect(page.getByText('Connected')).toBeAttached();
    await expect(page.getByText('Nothing yet')).toBeVisible();
    await redeem(served, makeToken(128, 'from an agent'));
    await expect(balance(page)).toContainText('128 sat', { timeout: 1000 });
    await expect(rows(page)).toHaveCount(1, { timeout: 1000 });
  });

  test('tries again with the same key when the answer was lost, so that nothing counts twice', async ({
    page,
    served,
  }) => {
    const keys = watchReceives(page);
    await openWallet(page, served);
    await page.route('**/api/wallet/receive', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await field(page).fill(makeToken(32));
    await expect(receive(page)).toContainText('32 sat');
    await receiveButton(page).click();
    await expect(receive(page)).toContainText('Whether the token was received is not known');
    await expect(receive(page)).toContainText('offline');
    await page.unroute('**/api/wallet/receive');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(receive(page)).toContainText('Received 32 sat');
    await expect(balance(page)).toContainText('32 sat');
    await expect(rows(page)).toHaveCount(1);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test('takes a file that is dropped on the field, and keeps the token while another page is shown', async ({
    page,
    served,
  }) => {
    await openWallet(page, served);
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'token.txt', { type: 'text/plain' }));
      return data;
    }, makeToken(512));
    await field(page).dispatchEvent('drop', { dataTransfer: transfer });
    await expect(receive(page)).toContainText('512 sat');
    await page.getByRole('link', { name: 'Catalog' }).click();
    await page.getByRole('link', { name: 'Wallet' }).click();
    await expect(field(page)).toHaveValue(makeToken(512));
  });

  test('logs no error and breaks no policy, in light and dark, wide and small', async ({ page, served }) => {
    await redeem(served, makeToken(2_000_000_000, 'x'.repeat(900)));
    await page.goto(served.pageUrl);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const size of [
        { width: 1280, height: 800 },
        { width: 800, height: 600 },
      ]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(size);
        await page.goto(`${served.url}/wallet`);
        await expect(rows(page)).toHaveCount(1);
        const overflow = await page.evaluate(() => document.body.scrollWidth - document.body.clientWidth);
        expect(overflow).toBe(0);
      }
    }
  });
});

base.describe('with a mint', () => {
  const test = base.extend<{ mint: TestMint; otherMint: TestMint }>({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
    mint: async ({}, use) => {
      const mint = await startTestMint({ path: '/Bitcoin', keysets: [{ inputFeePpk: 100 }] });
      await use(mint);
      await mint.close();
    },
    // biome-ignore lint/correctness/noEmptyPattern: as above
    otherMint: async ({}, use) => {
      const mint = await startTestMint();
      await use(mint);
      await mint.close();
    },
    environment: async ({ mint }, use) => use({ DEV_MODE: 'false', MINT_URL: mint.url }),
  });

  test('checks a token, receives it for real, and shows the fee', async ({ page, served, mint }) => {
    await openWallet(page, served);
    await expect(page.getByText('DEV MODE')).toHaveCount(0);
    await expect(mintPart(page)).toContainText('reachable');
    await expect(mintPart(page).getByText(mint.url, { exact: true })).toBeVisible();
    const token = mint.issue(1234, { memo: 'for the summary' });
    await field(page).fill(token);
    await expect(receive(page)).toContainText('Valid: the mint says it is unspent');
    await expect(receive(page)).toContainText('1,234 sat');
    await expect(receive(page)).toContainText('1,233 sat');
    await field(page).press('ControlOrMeta+Enter');
    await expect(receive(page)).toContainText('Received 1,233 sat, fee 1 sat');
    await expect(balance(page)).toContainText('1,233 sat');
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page).first()).toContainText('+1,233 sat');
    await expect(rows(page).first()).toContainText('fee 1 sat');
    await expect(rows(page).first()).toContainText('completed');
    expect(mint.states(token)).toEqual(mint.states(token).map(() => 'SPENT'));

    // A token pays once.
    await field(page).fill(token);
    await expect(receive(page)).toContainText('Already spent');
    await expect(receiveButton(page)).toBeDisabled();
  });

  test('says what is wrong with a token and what to do, and receives none of them', async ({
    page,
    served,
    mint,
    otherMint,
  }) => {
    const keys = watchReceives(page);
    await openWallet(page, served);
    const spent = mint.issue(8);
    mint.spend([spent]);
    const inUse = mint.issue(8);
    mint.setPending([inUse]);
    const good = mint.issue(8);
    const cases: readonly (readonly [string, string, string])[] = [
      [otherMint.issue(8), 'A token of another mint', 'wrong_mint'],
      [spent, 'Already spent', 'spent'],
      [inUse, 'Being redeemed right now', 'pending'],
      [good.slice(0, -9), 'Not a Cashu token', 'malformed'],
      ['hello', 'Not a Cashu token', 'malformed'],
      [mint.issue(8, { badDleq: true }), 'The signatures do not check', 'invalid_signature'],
      [mint.issue(8, { p2pk: `02${'a'.repeat(64)}` }), 'Locked to a key', 'locked'],
    ];
    for (const [token, title, reason] of cases) {
      await field(page).fill(token);
      await expect(receive(page)).toContainText(title);
      await expect(receive(page)).toContainText(reason);
      await expect(receiveButton(page)).toBeDisabled();
      await field(page).press('ControlOrMeta+Enter');
    }
    // It may be free in a moment.
    await field(page).fill(inUse);
    await expect(receive(page)).toContainText('Being redeemed right now');
    mint.clearPending();
    await page.getByRole('button', { name: 'Check again' }).click();
    await expect(receive(page)).toContainText('Valid');
    expect(keys).toEqual([]);
  });

  test('shows the code of a refusal when the token was spent after the check', async ({
    page,
    served,
    mint,
  }) => {
    await openWallet(page, served);
    const token = mint.issue(16);
    await field(page).fill(token);
    await expect(receive(page)).toContainText('Valid');
    mint.spend([token]);
    await receiveButton(page).click();
    await expect(receive(page).getByRole('alert')).toContainText('Already spent');
    await expect(receive(page).getByRole('alert')).toContainText('token_spent');
    await expect(receiveButton(page)).toBeDisabled();
    await expect(field(page)).toHaveValue(token);
    await expect(balance(page)).toContainText('0 sat');
    await expect(rows(page).first()).toContainText('failed');
    await expect(rows(page).first()).toContainText('token_spent');
  });

  test('says that the mint is away, and goes on when it is back', async ({ page, served, mint }) => {
    const token = mint.issue(16);
    await mint.away();
    await openWallet(page, served);
    await expect(mintPart(page)).toContainText('unreachable');
    await field(page).fill(token);
    await expect(receive(page)).toContainText('You may receive it all the same');
    await expect(receive(page)).toContainText('mint_unreachable');
    await receiveButton(page).click();
    await expect(receive(page).getByRole('alert')).toContainText('The mint cannot be reached');
    await mint.back();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(receive(page)).toContainText('Received 15 sat, fee 1 sat');
  });

  test('follows a receive that the mint left without an answer until it completes by itself', async ({
    page,
    served,
    mint,
  }) => {
    // The wallet itself tries for 15 s before it says so.
    test.setTimeout(60_000);
    await openWallet(page, served);
    await field(page).fill(mint.issue(256));
    await expect(receive(page)).toContainText('Valid');
    mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    await receiveButton(page).click();
    await expect(page.getByRole('button', { name: 'Receiving…' })).toBeVisible();
    await expect(rows(page).first()).toContainText('pending');
    await expect(receive(page)).toContainText('The mint may have taken it', { timeout: 20_000 });
    await expect(receiveButton(page)).toBeDisabled();
    await expect(balance(page)).toContainText('+ 255 sat pending');
    mint.clearFaults();
    await expect(receive(page)).toContainText('Received 255 sat', { timeout: 15_000 });
    await expect(balance(page)).toContainText('255 sat');
    await expect(balance(page)).not.toContainText('pending');
    await expect(field(page)).toHaveValue('');
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page).first()).toContainText('completed');
  });

  test('shows what was sent and taken back, and the token of a send on request', async ({
    page,
    served,
    mint,
  }) => {
    const call = async (path: string, body: unknown) => {
      const token = new URLSearchParams(new URL(served.pageUrl).hash.slice(1)).get('token');
      const answer = await fetch(`${served.url}/api/wallet/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
      expect([path, answer.ok]).toEqual([path, true]);
      return (await answer.json()) as { token: string; operationId: string };
    };
    await call('receive', { token: mint.issue(1000) });
    const kept = await call('send', { amount: 100, memo: 'kept' });
    const paid = await call('send', { amount: 50, memo: 'paid' });
    mint.spend([paid.token]);
    const back = await call('send', { amount: 20, memo: 'back' });
    await call(`operations/${back.operationId}/reclaim`, {});

    await openWallet(page, served);
    const row = (kind: string, memo: string) =>
      rows(page)
        .filter({ has: page.getByRole('heading', { name: kind }) })
        .filter({ hasText: memo });
    await expect(row('Reclaim', 'back')).toContainText('+');
    await expect(row('Send', 'kept')).toContainText('−100 sat');
    await expect(row('Send', 'kept')).toContainText('not redeemed yet');
    await expect(row('Send', 'paid').getByText('redeemed', { exact: true })).toBeVisible();
    await expect(row('Send', 'back').getByText('reclaimed', { exact: true })).toBeVisible();
    await expect(page.getByText(kept.token)).toHaveCount(0);
    await row('Send', 'kept').getByRole('button', { name: 'Show token' }).click();
    await expect(row('Send', 'kept').getByRole('textbox', { name: 'The token that was sent' })).toHaveValue(
      kept.token,
    );
  });
});
