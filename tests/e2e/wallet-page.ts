import type { Locator, Page } from '@playwright/test';
import { startTestMint, type TestMint } from '../support/mint/test-mint.ts';
import { test as base, expect, type Served } from './fixtures.ts';
import { type How, pressOn } from './keyboard.ts';

/** The sheets of the wallet's page. */
type Sheet = 'Receive' | 'Send' | 'Backup';

/** The buttons that open them. */
const OPENERS = {
  Receive: { name: 'Receive', exact: true },
  Send: { name: 'Send', exact: true },
  Backup: { name: /^(Not b|B)acked up$/ },
} as const;

/** The parts of the wallet's page. A sheet hides what is below from assistive technology, not from the eyes. */
export const walletPage = (page: Page) => {
  const includeHidden = true;
  const list = page.getByRole('list', { name: 'Operations, newest first', includeHidden });
  const rows = list.getByRole('listitem', { includeHidden });
  const sheet = (name: Sheet) => page.getByRole('dialog', { name, exact: true });
  const close = async () => {
    const open = page.locator('[data-sheet]');
    // The first Escape may hide the details of what is under the pointer.
    await expect(async () => {
      if ((await open.count()) > 0) await page.keyboard.press('Escape');
      await expect(open).toHaveCount(0, { timeout: 2_000 });
    }).toPass();
  };
  return {
    /** Opens a sheet, and closes another one that is open. */
    open: async (name: Sheet, how: How = 'by mouse') => {
      if (await sheet(name).isVisible()) return;
      await close();
      await pressOn(page, page.getByRole('main').getByRole('button', OPENERS[name]), how);
      await expect(sheet(name)).toBeVisible();
    },
    close,
    field: page.getByRole('textbox', { name: 'Cashu token' }),
    receiveButton: sheet('Receive').getByRole('button', { name: 'Receive', exact: true }),
    balance: page.getByRole('region', { name: 'Balance', includeHidden }),
    receive: sheet('Receive'),
    send: sheet('Send'),
    amount: page.getByRole('textbox', { name: 'Amount in sats' }),
    memo: page.getByRole('textbox', { name: 'Memo (optional)' }),
    backup: sheet('Backup'),
    mint: page.getByRole('region', { name: 'Mint', includeHidden }),
    rows,
    /** The rows of a kind with a text in them. */
    row: (kind: string, text: string) =>
      rows
        .filter({ has: page.getByRole('heading', { name: kind, includeHidden }) })
        .filter({ hasText: text }),
  };
};

/** A mint that nobody asks in DEV_MODE. */
export const SIMULATED_MINT = 'https://mint.example/Bitcoin';

/** A token of it that nobody signed, which DEV_MODE does not mind. */
export const simulatedToken = (amount: number, memo?: string): string => {
  const proof = { id: '009a1f293253e41e', amount, secret: `s${amount}`, C: `02${'a'.repeat(64)}` };
  const token = { token: [{ mint: SIMULATED_MINT, proofs: [proof] }], unit: 'sat', memo };
  return `cashuA${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
};

/** Opens the wallet as the operator does: at the printed address, then by the rail. */
export const openWallet = async (page: Page, { pageUrl }: Served, how: How = 'by mouse') => {
  await page.goto(pageUrl);
  await pressOn(page, page.getByRole('link', { name: 'Wallet' }), how);
  const parts = walletPage(page);
  await expect(parts.balance).toBeVisible();
  return parts;
};

/** The Idempotency-Keys that the page sends to a route of the wallet, as they come. */
export const watchKeys = (page: Page, route: 'receive' | 'send'): string[] => {
  const keys: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(`/api/wallet/${route}`)) keys.push(request.headers()['idempotency-key'] ?? '');
  });
  return keys;
};

/** Asks a route of the wallet as the operator. */
export const asOperator = async <T = unknown>(
  { url, pageUrl }: Served,
  path: string,
  body?: unknown,
): Promise<T> => {
  const token = new URLSearchParams(new URL(pageUrl).hash.slice(1)).get('token');
  const answer = await fetch(`${url}/api/wallet/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect([path, answer.ok]).toEqual([path, true]);
  return (await answer.json()) as T;
};

/** Drops a file on a place of the page. */
export const dropFile = async (page: Page, target: Locator, name: string, content: string | number[]) => {
  const dataTransfer = await page.evaluateHandle(
    ([fileName, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], fileName));
      return data;
    },
    [name, content] as const,
  );
  await target.dispatchEvent('dragover', { dataTransfer });
  await target.dispatchEvent('drop', { dataTransfer });
};

/** A test with a strict mint, which takes a sat for up to ten inputs by default, and a server whose wallet is of it. */
export const walletTest = base.extend<{ mint: TestMint; mintFeePpk: number }>({
  mintFeePpk: [100, { option: true }],
  mint: async ({ mintFeePpk: inputFeePpk }, use) => {
    const mint = await startTestMint({ path: '/Bitcoin', keysets: [{ inputFeePpk }] });
    await use(mint);
    await mint.close();
  },
  environment: async ({ mint }, use) => use({ DEV_MODE: 'false', MINT_URL: mint.url }),
});
