import type { Page } from 'playwright';
import type { Scene } from './serve-scene.ts';
import { offline, opens, opensSheet, sees, type View } from './view.ts';
import { WALLET_TROUBLE_VIEWS } from './views-wallet-trouble.ts';

const path = '/wallet';

const receive = async (page: Page) => {
  await page.getByText('Valid: the mint says it is unspent').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Receive', exact: true }).click();
};

/** Puts a token into the field and waits for the check's result. */
const pastes =
  (token: (scene: Scene) => string, title: string): View['ready'] =>
  async (page, scene) => {
    await opensSheet(page, 'Receive');
    await page.getByRole('textbox', { name: 'Cashu token' }).fill(token(scene));
    await page.getByText(title).first().waitFor();
  };

const valid = pastes(
  ({ mint }) => mint.issue(1_001, { memo: 'Code review' }),
  'Valid: the mint says it is unspent',
);

// The wallet asks an unreachable mint for seconds before a receive is pending. The picture fakes that response.
const PENDING = 'The mint didn’t respond. The wallet retries automatically.';
const operationId = '01a8f6b2-7c3d-7e4f-8a5b-6c7d8e9f0a1b';
const pendingOperation = () => {
  const now = new Date().toISOString();
  const error = { error: PENDING, code: 'redemption_pending' };
  return {
    id: operationId,
    kind: 'receive',
    state: 'pending',
    amount: 1_000,
    error,
    createdAt: now,
    updatedAt: now,
  };
};

const clearFaults = ({ mint }: Scene) => mint.clearFaults();

/** Receiving, sending and the backup words. */
export const WALLET_VIEWS: readonly View[] = [
  { name: 'wallet', path, ready: sees('Proofreading') },
  { name: 'token-checked', path, ready: valid },
  {
    name: 'token-refused',
    path,
    ready: pastes(
      ({ mint }) => mint.issue(8, { p2pk: `02${'a'.repeat(64)}`, memo: 'for you alone' }),
      'The token is locked to a key',
    ),
  },
  { name: 'token-unreadable', path, ready: pastes(() => 'not a token at all', 'This isn’t a Cashu token') },
  {
    name: 'token-received',
    path,
    ready: async (page, scene) => {
      await valid(page, scene);
      await receive(page);
      await page.getByText('Received 1,000 sat').first().waitFor();
    },
  },
  {
    name: 'token-spent-meanwhile',
    path,
    ready: async (page, scene) => {
      const token = scene.mint.issue(64, { memo: 'Quote for a migration' });
      await pastes(() => token, 'Valid')(page, scene);
      scene.mint.spend([token]);
      await receive(page);
      await page.getByRole('alert').first().waitFor();
    },
  },
  {
    name: 'token-pending',
    path,
    ready: async (page, scene) => {
      await valid(page, scene);
      await page.route('**/api/wallet/receive', (route) =>
        route.fulfill({ status: 503, json: { error: PENDING, code: 'redemption_pending', operationId } }),
      );
      await page.route('**/api/wallet/operations/*', (route) => route.fulfill({ json: pendingOperation() }));
      await receive(page);
      await page.getByText('The mint may have redeemed it').first().waitFor();
    },
  },
  {
    name: 'mint-away',
    path,
    ready: async (page, scene) => {
      scene.mint.fail('*', { kind: 'refuse' });
      await pastes(({ mint }) => mint.issue(16), 'mint_unreachable')(page, scene);
    },
    after: clearFaults,
  },
  {
    name: 'sent-token',
    path,
    ready: async (page) => {
      await opensSheet(page, 'Send');
      await page.getByRole('textbox', { name: 'Amount in sats' }).fill('21');
      await page.keyboard.press('Enter');
      await page
        .getByRole('img', { name: /QR code/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'send-refused',
    path,
    ready: async (page) => {
      await page.getByText('Proofreading').waitFor();
      // The fee is added to the amount.
      const balance = await page
        .getByRole('region', { name: 'Balance' })
        .getByText(/^[\d,]+ sat$/)
        .textContent();
      await opensSheet(page, 'Send');
      await page.getByRole('textbox', { name: 'Amount in sats' }).fill((balance ?? '').replace(' sat', ''));
      await page.keyboard.press('Enter');
      await page.getByText('The wallet doesn’t have enough sats').waitFor();
    },
  },
  { name: 'reclaim-question', path, ready: opens('Take back') },
  {
    name: 'backup-before',
    path,
    ready: async (page) => {
      await opensSheet(page, 'Backup');
      await opens('Show backup words…')(page);
    },
  },
  {
    name: 'backup-words',
    path,
    ready: async (page) => {
      await opensSheet(page, 'Backup');
      await opens('Show backup words…')(page);
      await page.getByRole('button', { name: 'Show words' }).click();
      await page.getByRole('list', { name: 'The words, in order' }).waitFor();
    },
  },
  { name: 'wallet-empty', path, site: 'empty', ready: sees('Nothing yet') },
  {
    name: 'restore-wrong-word',
    path,
    site: 'empty',
    ready: async (page) => {
      await opensSheet(page, 'Backup');
      await opens('Restore from words…')(page);
      await page
        .getByRole('textbox', { name: 'Backup words' })
        .fill('abandon ability abel about abovve absent');
      await page.getByText('Not on the list of backup words').waitFor();
    },
  },
  {
    name: 'restore-not-empty',
    path,
    ready: async (page) => {
      await opensSheet(page, 'Backup');
      await opens('Restore from words…')(page);
    },
  },
  { name: 'real-money', path, site: 'long', ready: opens('Use real money…') },
  { name: 'wallet-offline', path, ready: offline(sees('Proofreading')) },
  {
    name: 'wallet-locked',
    path,
    ready: async (page) => {
      // At another address of the same server, this browser isn't signed in.
      await page.goto(`http://127.0.0.1:${new URL(page.url()).port}${path}`);
      await page.getByText('Sign in to send sats and see the history').waitFor();
    },
  },
  ...WALLET_TROUBLE_VIEWS,
];
