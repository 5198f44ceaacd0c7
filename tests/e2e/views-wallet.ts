import { expect } from './fixtures.ts';
import { ALL_SATS, heading, LONG_MEMO, ON_TOP, onTop, opens, type Scene, sees, type View } from './view.ts';
import { asOperator, simulatedToken, walletPage } from './wallet-page.ts';

/** Checks a token that only the mint knows what is wrong with. */
const checks =
  (token: (mint: Scene['mint']) => string, title: string) =>
  async ({ page, mint }: Scene): Promise<void> => {
    const { open, field, receive } = walletPage(page);
    await open('Receive');
    await field.fill(token(mint));
    await expect(receive).toContainText(title);
  };

/** The wallet: simulated, empty, with tokens on their way in and out, and its words. */
export const WALLET_VIEWS: readonly View[] = [
  { name: 'wallet, test money', path: '/wallet', ready: heading('Wallet') },
  {
    name: 'token, the largest, of test money',
    ready: checks(() => simulatedToken(ALL_SATS, LONG_MEMO), 'Not checked'),
    part: ON_TOP,
  },
  {
    name: 'real money question',
    path: '/settings/wallet',
    ready: async ({ page }) => {
      await page.getByRole('switch', { name: 'Test money' }).click();
      await onTop(page, 'Use real money?');
    },
    part: ON_TOP,
  },
  {
    name: 'settings, real money',
    path: '/settings/wallet',
    ready: async ({ page }) => {
      await page.getByRole('switch', { name: 'Test money' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Use real money' }).click();
      await expect(page.getByText('Test money saved')).toBeVisible();
      await expect(page.getByRole('switch', { name: 'Test money' })).not.toBeChecked();
    },
  },
  {
    name: 'wallet, empty',
    path: '/wallet',
    ready: async ({ page }) => {
      await expect(page.getByText('Nothing yet')).toBeVisible();
      await expect(walletPage(page).mint).toContainText('reachable');
    },
  },
  {
    name: 'restore from words',
    ready: async (scene) => {
      const { page } = scene;
      await walletPage(page).open('Backup');
      await opens('Restore from words…', 'Restore from words')(scene);
      await page.getByRole('textbox', { name: 'Backup words' }).fill('abandon abandom abo');
      await expect(page.getByText('Not on the list of backup words')).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'backup, before',
    ready: async (scene) => {
      await walletPage(scene.page).open('Backup');
      await opens('Show backup words…', 'Backup words')(scene);
    },
    part: ON_TOP,
  },
  {
    name: 'backup words',
    ready: async (scene) => {
      await walletPage(scene.page).open('Backup');
      await opens('Show backup words…', 'Backup words')(scene);
      await scene.page.getByRole('button', { name: 'Show words' }).click();
      await expect(scene.page.getByRole('list', { name: 'The words, in order' })).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'token, unreadable',
    path: '/wallet',
    ready: checks(() => 'not a token at all', 'This isn’t a Cashu token'),
    part: ON_TOP,
    isOnlyPictured: true,
  },
  {
    name: 'token, valid',
    path: '/wallet',
    ready: checks((mint) => mint.issue(1001, { memo: 'for the summary' }), 'Valid'),
    part: ON_TOP,
  },
  {
    name: 'token, received',
    ready: async ({ page }) => {
      const { open, receive, receiveButton, rows } = walletPage(page);
      await open('Receive');
      await receiveButton.click();
      await expect(receive).toContainText('Received 1,000 sat');
      await expect(rows).toHaveCount(1);
    },
    part: ON_TOP,
  },
  {
    name: 'token, refused by the check',
    ready: checks((mint) => mint.issue(8, { p2pk: `02${'a'.repeat(64)}` }), 'The token is locked to a key'),
    part: ON_TOP,
  },
  {
    name: 'token, in use',
    ready: checks((mint) => {
      const token = mint.issue(8);
      mint.setPending([token]);
      return token;
    }, 'The token is being redeemed'),
    part: ON_TOP,
  },
  {
    name: 'token, refused by the mint',
    ready: async ({ page, mint }) => {
      const { open, field, receive, receiveButton, rows } = walletPage(page);
      await open('Receive');
      const token = mint.issue(16);
      await field.fill(token);
      await expect(receive).toContainText('Valid');
      mint.spend([token]);
      await receiveButton.click();
      await expect(receive.getByRole('alert')).toContainText('token_spent');
      await expect(rows.filter({ hasText: 'failed' })).toHaveCount(1);
    },
    part: ON_TOP,
  },
  {
    name: 'send, refused',
    ready: async ({ page }) => {
      const { open, amount, send } = walletPage(page);
      await open('Send');
      // The fee comes on top.
      await amount.fill('1000');
      await send.getByRole('button', { name: 'Send' }).click();
      await expect(send.getByRole('alert')).toContainText('The wallet doesn’t have enough sats');
    },
    part: ON_TOP,
  },
  {
    name: 'sent token, as text and as a code',
    ready: async ({ page }) => {
      const { open, amount, memo, send, row } = walletPage(page);
      await open('Send');
      await amount.fill('255');
      await memo.fill('for Bob');
      await send.getByRole('button', { name: 'Send' }).click();
      await send.getByRole('button', { name: 'Show token' }).click();
      await expect(send.getByRole('img', { name: /^QR code/ })).toBeVisible();
      await expect(send.getByRole('textbox', { name: 'The sent token' })).toBeVisible();
      await expect(row('Send', 'for Bob')).toContainText('not redeemed yet');
    },
    part: ON_TOP,
  },
  {
    name: 'take back',
    ready: async ({ page }) => {
      const { close, row } = walletPage(page);
      await close();
      await row('Send', 'for Bob').getByRole('button', { name: 'Take back' }).click();
      await onTop(page, /^Take back/);
    },
    part: ON_TOP,
  },
  {
    name: 'taken back',
    ready: async ({ page, served }) => {
      const { row } = walletPage(page);
      const back = await asOperator<{ operationId: string }>(served, 'send', { amount: 20, memo: 'back' });
      await asOperator(served, `operations/${back.operationId}/reclaim`, {});
      await expect(row('Send', 'back').getByText('taken back', { exact: true })).toBeVisible();
      await expect(row('Take back', 'back')).toHaveCount(1);
    },
    part: 'main',
  },
  {
    name: 'send, too much and with too long a memo',
    ready: async (scene) => {
      const { open, amount, memo } = walletPage(scene.page);
      await open('Send');
      await amount.fill(`${ALL_SATS}`);
      await memo.fill(LONG_MEMO.repeat(2));
      await sees('Use at most 1,000 characters.')(scene);
    },
    part: ON_TOP,
    isOnlyPictured: true,
  },
  {
    name: 'restore, not empty',
    ready: async (scene) => {
      await walletPage(scene.page).open('Backup');
      await opens('Restore from words…', 'Restore from words')(scene);
      await expect(scene.page.getByText('The wallet keeps its own words.')).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'wallet without its mint',
    ready: async ({ page, mint }) => {
      const token = mint.issue(16);
      await mint.away();
      const { open, field, receive } = walletPage(page);
      await open('Receive');
      await field.fill(token);
      await expect(receive).toContainText('mint_unreachable');
    },
    part: ON_TOP,
  },
  {
    name: 'receive that nobody knows the end of',
    ready: async ({ page, served }) => {
      const { open, receive, receiveButton } = walletPage(page);
      await open('Receive');
      const { entries } = await asOperator<{ entries: { id: string }[] }>(served, 'history');
      const operationId = entries[0]?.id;
      const operation = await asOperator<object>(served, `operations/${operationId}`);
      await page.route('**/api/wallet/receive', (route) =>
        route.fulfill({
          status: 503,
          json: { error: 'No answer.', code: 'redemption_pending', operationId },
        }),
      );
      await page.route('**/api/wallet/operations/*', (route) =>
        route.fulfill({ json: { ...operation, state: 'pending' } }),
      );
      await receiveButton.click();
      await expect(receive).toContainText('The mint may have redeemed it');
    },
    part: ON_TOP,
    after: ({ page }) => walletPage(page).close(),
  },
];
