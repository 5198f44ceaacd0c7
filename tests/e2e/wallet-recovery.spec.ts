import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Wallet } from '@cashu/cashu-ts';
import { mnemonicToSeedSync } from '@scure/bip39';
import { sumOf } from '../support/mint/client.ts';
import { startTestMint, type TestMint } from '../support/mint/test-mint.ts';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { violationsInBothThemes } from './axe.ts';
import { test as base, expect, type Served } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { asOperator, openWallet, walletTest as test, walletPage } from './wallet-page.ts';

const HOUR_SECONDS = 3600;

/** The environment of a server whose time is ahead of the machine's. */
const aheadBy = (seconds: number) => ({
  NODE_OPTIONS: `${NO_OUTSIDE.NODE_OPTIONS} --import ${fileURLToPath(new URL('../support/ahead.ts', import.meta.url))}`,
  TEST_AHEAD_MS: String(seconds * 1000),
});

/** The words of another wallet. */
const WORDS = `${'abandon '.repeat(11)}about`;

const walletDirectory = ({ directory }: Served) => join(directory, 'data', 'wallet');

const receive = (served: Served, token: string) =>
  asOperator<{ operationId: string }>(served, 'receive', { token });

/** Another wallet of the mint, with 500 sat. */
const fillOtherWallet = async (mint: TestMint): Promise<void> => {
  const other = new Wallet(mint.url, { bip39seed: mnemonicToSeedSync(WORDS) });
  await other.loadMint();
  const proofs = await other.receive(mint.issue(501), {}, { type: 'deterministic', counter: 0 });
  expect(sumOf(proofs)).toBe(500);
};

test('after an old copy of the data was put back, the history shows what was recovered and what was spent elsewhere', async ({
  page,
  served,
  mint,
}) => {
  await receive(served, mint.issue(101));
  await served.kill();
  const copy = join(served.directory, 'copy');
  await cp(walletDirectory(served), copy, { recursive: true });
  await served.startAgain();
  await receive(served, mint.issue(65));
  await asOperator(served, 'send', { amount: 100 });
  await served.kill();
  await rm(walletDirectory(served), { recursive: true });
  await cp(copy, walletDirectory(served), { recursive: true });
  await served.startAgain();

  const { row, balance } = await openWallet(page, served);
  await expect(row('Recovered', 'the wallet didn’t know about them')).toContainText('+');
  await expect(row('Spent elsewhere', 'Another copy of this wallet spent these sats.')).toContainText('−');
  // 100 and 64 came in, 100 and its fee went out.
  await expect(balance).toContainText('63 sat');
});

test('checks the mint for missing sats, by keyboard, and says when nothing is missing', async ({
  page,
  served,
  mint,
}) => {
  await receive(served, mint.issue(101));
  const { open, backup, balance } = await openWallet(page, served, 'by keys');
  await open('Backup', 'by keys');
  const check = backup.getByRole('button', { name: 'Check the mint for missing sats' });
  await tabTo(page, check);
  await page.keyboard.press('Enter');
  await expect(backup.getByRole('status').filter({ hasText: 'Nothing is missing.' })).toBeVisible();
  await expect(check).toBeFocused();
  await expect(balance).toContainText('100 sat');
  await backup.getByRole('button', { name: 'Dismiss' }).click();
  await expect(backup).not.toContainText('Nothing is missing.');
});

test('finds the sats of an inactive keyset when the database is missing', async ({ page, served, mint }) => {
  await receive(served, mint.issue(101));
  await served.kill();
  mint.rotate();
  for (const name of await readdir(walletDirectory(served))) {
    if (name.startsWith('wallet.sqlite')) await rm(join(walletDirectory(served), name));
  }
  await served.startAgain();
  const { open, backup, balance, row } = await openWallet(page, served);
  await expect(balance).toContainText('0 sat');
  await open('Backup');
  await backup.getByRole('button', { name: 'Check the mint for missing sats' }).click();
  await expect(backup.getByRole('button', { name: 'Checking the mint…' })).toBeDisabled();
  await expect(backup).toContainText('Found 100 missing sats');
  await expect(balance).toContainText('100 sat');
  await expect(row('Recovered', '+100 sat')).toHaveCount(1);
});

test('restores other words into a wallet that holds sats: shows progress, continues without the dialog, and keeps its own words', async ({
  page,
  served,
  mint,
}) => {
  await fillOtherWallet(mint);
  await receive(served, mint.issue(101));
  const { mnemonic } = await asOperator<{ mnemonic: string }>(served, 'seed');
  const { open, close, backup, balance, rows } = await openWallet(page, served);
  await open('Backup');
  const dialog = page.getByRole('dialog', { name: 'Restore from words' });
  await backup.getByRole('button', { name: 'Restore from words…' }).click();
  await expect(dialog.locator('dt', { hasText: 'this wallet' })).toHaveText(/^Wallet with sats/);
  await dialog.getByRole('textbox', { name: 'Backup words' }).fill(WORDS);
  mint.fail('/v1/restore', { kind: 'slow', delayMs: 400 });
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  const progress = page.getByRole('progressbar', { name: 'Keysets searched' });
  await expect(dialog.getByRole('progressbar')).toBeVisible();
  await expect(dialog).toContainText('counters searched');
  await expect(dialog.getByRole('textbox')).toHaveCount(0);

  // Closing it doesn't stop the search, and neither does another page.
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(backup.getByRole('progressbar')).toBeVisible();
  await backup.getByRole('button', { name: 'Restore from words…' }).click();
  await expect(dialog.getByRole('progressbar')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await close();
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(progress).toHaveCount(0);
  mint.clearFaults();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Restored 499 sat');
  await page.getByRole('link', { name: 'Wallet' }).click();
  await expect(balance).toContainText('599 sat');
  await expect(rows.first()).toContainText('Restore');
  await open('Backup');
  await expect(backup).toContainText('This wallet keeps its own backup words.');
  await expect(backup).toContainText('Found: 500 sat');
  await expect(backup).toContainText(/Credited: 499 sat from \d+ unspent proofs, fee 1 sat/);
  await expect(backup).not.toContainText('Pending:');
  expect((await asOperator<{ mnemonic: string }>(served, 'seed')).mnemonic).toBe(mnemonic);

  // Now these words own nothing, and that changes nothing.
  await backup.getByRole('button', { name: 'Restore from words…' }).click();
  await dialog.getByRole('textbox', { name: 'Backup words' }).fill(WORDS);
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  const alert = dialog.getByRole('alert');
  await expect(alert).toContainText('These words have no sats at this mint');
  await expect(alert).toContainText('nothing_found');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(balance).toContainText('599 sat');
});

test('releases a receive and a send that the mint does not finish, and receives the released token later', async ({
  page,
  served,
  mint,
}) => {
  await receive(served, mint.issue(101));
  mint.fail('/v1/swap', { kind: 'status', status: 500 });
  const token = mint.issue(256, { memo: 'stuck' });
  const answers = Promise.allSettled([
    receive(served, token),
    asOperator(served, 'send', { amount: 40, memo: 'stuck' }),
  ]);
  const {
    open,
    field,
    receiveButton,
    row,
    balance,
    receive: receiving,
  } = await openWallet(page, served, 'by keys');
  await expect(row('Receive', 'stuck')).toContainText('pending');
  await expect(row('Send', 'stuck')).toContainText('pending');
  // Not while the mint may just be slow.
  await expect(page.getByRole('button', { name: 'Release…' })).toHaveCount(0);
  await answers;
  await page.clock.setFixedTime(Date.now() + 120_000);
  await page.reload();

  const release = row('Receive', 'stuck').getByRole('button', { name: 'Release…' });
  await tabTo(page, release);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The mint isn’t finishing this operation.');
  await expect(dialog).toContainText('You get the token as text.');
  await expect(dialog).toContainText('credits the sats');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(release).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Release', exact: true }));
  await page.keyboard.press('Enter');
  const released = dialog.getByRole('textbox', { name: 'The released token' });
  await expect(released).toBeFocused();
  const text = await released.inputValue();
  expect(mint.unspent([text])).toBe(256);
  await expect(dialog).toContainText('The token isn’t in your balance.');
  expect(await violationsInBothThemes(page, '[role="dialog"]')).toEqual([]);
  // It is nowhere else, so Escape doesn't put it away.
  await page.keyboard.press('Escape');
  await expect(released).toBeVisible();
  await tabTo(page, dialog.getByRole('button', { name: 'Done' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(row('Receive', 'stuck')).toContainText('You released this and got its token as text.');
  await expect(page.locator('body')).not.toBeFocused();

  await row('Send', 'stuck').getByRole('button', { name: 'Release…' }).click();
  await expect(dialog).toContainText('The sats go back to your balance.');
  await expect(dialog).not.toContainText('token as text');
  await dialog.getByRole('button', { name: 'Release', exact: true }).click();
  // No token: there is nothing to copy and nothing to lose.
  await expect(dialog.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'Released. The sats are back in your balance.',
  );
  await expect(row('Send', 'stuck')).toContainText('its sats went back to your balance');
  await expect(page.locator('body')).not.toBeFocused();
  await expect(balance.getByText('100 sat', { exact: true })).toBeVisible();

  mint.clearFaults();
  await open('Receive');
  await field.fill(text);
  await expect(receiving).toContainText('Unspent, but the signatures aren’t checked');
  await receiveButton.click();
  await expect(receiving).toContainText('Received 255 sat');
});

test('says that this wallet received a token itself, and shows where', async ({ page, served, mint }) => {
  const token = mint.issue(101, { memo: 'paid' });
  const { open, field, receive: receiving, receiveButton, row } = await openWallet(page, served);
  await open('Receive');
  await field.fill(token);
  await expect(receiving).toContainText('Valid');
  // An agent is faster.
  await receive(served, token);
  await expect(row('Receive', 'paid')).toBeVisible();
  for (let count = 0; count < 12; count++) await receive(served, mint.issue(2));
  await receiveButton.click();
  await expect(receiving.getByRole('alert')).toContainText('This wallet already received this token');
  await expect(receiving.getByRole('alert')).not.toContainText('Ask the sender');
  await receiving.getByRole('button', { name: 'Show it in the history' }).click();
  await expect(row('Receive', 'paid')).toBeFocused();
  await expect(row('Receive', 'paid')).toBeInViewport();
});

base.describe('sats that the balance does not count', () => {
  base('shows expired sats separately, and the sats left at an earlier mint', async ({ page, served }) => {
    const expires = Math.floor(Date.now() / 1000) + HOUR_SECONDS;
    const [first, second] = await Promise.all([
      startTestMint({ path: '/first' }),
      startTestMint({ keysets: [{ finalExpirySeconds: expires }] }),
    ]);
    try {
      const setTo = async (settings: object) => {
        const token = new URLSearchParams(new URL(served.pageUrl).hash.slice(1)).get('token');
        await page.request.put(`${served.url}/api/settings`, {
          data: settings,
          headers: { authorization: `Bearer ${token}` },
        });
      };
      // The server restarts with each change, and answers nothing for a moment.
      const mintIs = (url: string) =>
        expect(async () => {
          const { mint } = await (await fetch(`${served.url}/api/wallet/balance`)).json();
          expect(mint).toBe(url);
        }).toPass();
      await setTo({ devMode: false, mintUrl: first.url });
      await mintIs(first.url);
      await receive(served, first.issue(40));
      await setTo({ mintUrl: second.url });
      await mintIs(second.url);
      await receive(served, second.issue(100));
      const { balance } = await openWallet(page, served);
      await expect(balance).toContainText('At earlier mints');
      await expect(balance).toContainText(new URL(first.url).host);
      await expect(balance).toContainText('40 sat');
      await served.kill();
      await served.startAgain(aheadBy(2 * HOUR_SECONDS));
      await openWallet(page, served);
      await expect(balance).toContainText('100 sat expired');
      await expect(balance).toContainText('so the balance doesn’t count them');
      await expect(balance.getByText('0 sat', { exact: true })).toBeVisible();
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });
});

const seedFiles = async (served: Served) =>
  (await readdir(walletDirectory(served))).filter((name) => name.startsWith('seed-'));

/** Starts the server again without the file with its backup words, and tells which ones they were. */
const loseSeed = async (served: Served, mint: TestMint): Promise<string> => {
  await receive(served, mint.issue(101));
  const { mnemonic } = await asOperator<{ mnemonic: string }>(served, 'seed');
  await served.kill();
  for (const name of await seedFiles(served)) await rm(join(walletDirectory(served), name));
  await served.startAgain();
  return mnemonic;
};

const SEED_BANNER = 'The wallet’s backup words are missing, so you can’t receive.';

test('says on every page that the words are missing, still sends, and accepts the right words again', async ({
  page,
  served,
  mint,
}) => {
  const mnemonic = await loseSeed(served, mint);
  await page.goto(served.pageUrl);
  const banner = page.getByRole('alert').filter({ hasText: SEED_BANNER });
  await expect(banner).toBeVisible();
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(banner).toBeVisible();
  await page.getByRole('button', { name: 'Fix backup words…' }).click();
  const dialog = page.getByRole('dialog', { name: 'The backup words are missing' });
  await expect(dialog).toBeVisible();
  expect(await violationsInBothThemes(page, '[role="dialog"]')).toEqual([]);
  await page.keyboard.press('Escape');

  const { open, field, receive: receiving, receiveButton, amount, send, backup } = walletPage(page);
  await open('Receive');
  await expect(receiving).toContainText('Receiving is off');
  await field.fill(mint.issue(33));
  await expect(receiving).toContainText('Valid');
  await expect(receiveButton).toBeDisabled();
  await field.press('ControlOrMeta+Enter');
  await open('Send');
  await amount.fill('30');
  await amount.press('Enter');
  await expect(send).toContainText('A token for 30 sat');
  await open('Backup');
  await expect(backup.getByRole('button', { name: 'Show backup words…' })).toBeDisabled();

  await open('Receive');
  await receiving.getByRole('button', { name: 'Fix backup words…' }).click();
  const words = dialog.getByRole('textbox', { name: 'Backup words' });
  await words.fill(WORDS);
  await dialog.getByRole('button', { name: 'Use these words' }).click();
  await expect(dialog.getByRole('alert')).toContainText('These aren’t the words of this wallet');
  await expect(dialog.getByRole('alert')).toContainText('wrong_words');
  await words.fill(mnemonic);
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Use these words' }).click();
  const restored = page.getByRole('dialog', { name: 'The words are back' });
  await expect(restored).toBeVisible();
  await restored.getByRole('button', { name: 'Done' }).click();
  await expect(banner).toHaveCount(0);
  await open('Receive');
  expect((await asOperator<{ mnemonic: string }>(served, 'seed')).mnemonic).toBe(mnemonic);
  await receiveButton.click();
  await expect(receiving).toContainText('Received 32 sat');
});

test('replaces missing words with new ones on request, by keyboard, and shows them', async ({
  page,
  served,
  mint,
}) => {
  await loseSeed(served, mint);
  const { open, receive: receiving, field, receiveButton } = await openWallet(page, served, 'by keys');
  await open('Receive', 'by keys');
  await tabTo(page, receiving.getByRole('button', { name: 'Fix backup words…' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await tabTo(page, dialog.getByRole('button', { name: 'I don’t have the words…' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('back up only what you receive from now on.');
  await tabTo(page, dialog.getByRole('button', { name: 'Back' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveAccessibleName('The backup words are missing');
  await tabTo(page, dialog.getByRole('button', { name: 'I don’t have the words…' }));
  await page.keyboard.press('Enter');
  await tabTo(page, dialog.getByRole('button', { name: 'Use new words' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveAccessibleName('Write down the new words');
  const list = dialog.getByRole('list', { name: 'The words, in order' });
  const { mnemonic } = await asOperator<{ mnemonic: string }>(served, 'seed');
  await expect(list.getByRole('listitem')).toHaveText(
    mnemonic.split(' ').map((word, index) => `${index + 1}${word}`),
  );
  await tabTo(page, dialog.getByRole('button', { name: 'Done' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText(SEED_BANNER)).toHaveCount(0);
  await expect(page.locator('body')).not.toBeFocused();
  await open('Receive');
  await field.fill(mint.issue(33));
  await expect(receiving).toContainText('Valid');
  await receiveButton.click();
  await expect(receiving).toContainText('Received 32 sat');
});

test.describe('after DEV_MODE', () => {
  test.use({ environment: async ({ mint }, use) => use({ MINT_URL: mint.url }) });

  test('offers tokens that were received while testing: redeems one, says why another is refused, drops it, redeems the rest', async ({
    page,
    served,
    mint,
  }) => {
    const spent = mint.issue(64, { memo: 'spent' });
    for (const token of [mint.issue(21, { memo: 'coffee' }), spent, mint.issue(101), mint.issue(33)]) {
      await receive(served, token);
    }
    const {
      open,
      close,
      receive: receiving,
      field,
      receiveButton,
      balance,
      row,
    } = await openWallet(page, served);
    await open('Receive');
    await field.fill(mint.issue(5));
    await receiveButton.click();
    await expect(receiving).toContainText('This is test money. No real sats moved.');
    await close();
    await expect(page.getByText('while testing')).toHaveCount(0);
    // Three steps: the mint, the switch, and the words, which can wait.
    await page.getByRole('button', { name: 'Use real money…' }).click();
    const sheet = page.getByRole('dialog', { name: 'Use real money' });
    const step = sheet.locator('[aria-current="step"]');
    await expect(step).toContainText('Choose the mint');
    await expect(sheet.getByRole('textbox', { name: 'Mint' })).toHaveValue(mint.url);
    expect(await violationsInBothThemes(page, '[role="dialog"]')).toEqual([]);
    await sheet.getByRole('button', { name: 'Continue' }).click();
    await expect(step).toContainText('Switch to real money');
    await sheet.getByRole('button', { name: 'Switch to real money' }).click();
    await expect(sheet.getByText('Real money is on')).toBeVisible();
    await sheet.getByRole('button', { name: 'Show words' }).click();
    await expect(sheet.getByRole('list', { name: 'The words, in order' })).toBeVisible();
    await expect(sheet.getByText('Also write down the mint’s address.')).toBeVisible();
    await expect(sheet.getByText(mint.url, { exact: true })).toBeVisible();
    await sheet.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('button', { name: 'Not backed up' })).toBeVisible();
    await expect(page.getByText('Test money', { exact: true })).toHaveCount(0);
    await expect(page.locator('body')).not.toBeFocused();

    await expect(page.getByText('5 tokens received while testing may be real')).toBeVisible();
    const review = page.getByRole('button', { name: 'Review list' });
    await tabTo(page, review);
    await page.keyboard.press('Enter');
    const list = page.getByRole('list', { name: 'Tokens received while testing' });
    await expect(list.getByRole('listitem')).toHaveCount(5);
    expect(await violationsInBothThemes(page, 'main')).toEqual([]);
    await tabTo(page, list.getByRole('button', { name: 'Receive 21 sat' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
      'Received 20 sat, fee 1 sat',
    );
    await expect(row('Receive', 'coffee')).toHaveCount(1);
    await expect(list.getByRole('listitem')).toHaveCount(4);
    await expect(page.locator('body')).not.toBeFocused();

    // The mint may be away for a while; a token that is still there says why.
    await mint.away();
    await list.getByRole('button', { name: 'Receive 64 sat' }).click();
    await expect(list.getByText('mint_unreachable')).toBeVisible();
    await mint.back();
    await list.getByRole('button', { name: 'Discard 64 sat…' }).click();
    const question = page.getByRole('alertdialog', { name: 'Discard the 64-sat token?' });
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await question.getByRole('button', { name: 'Discard token' }).click();
    await expect(list.getByRole('listitem')).toHaveCount(3);

    await page.getByRole('button', { name: 'Receive all' }).click();
    await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
      'Received 3 of 3 tokens: 136 sat',
    );
    await expect(page.getByText('while testing')).toHaveCount(0);
    await expect(balance).toContainText('156 sat');
    await expect(page.locator('body')).not.toBeFocused();
  });

  test('says so if the mint stops responding before real money is on', async ({ page, served, mint }) => {
    await openWallet(page, served);
    await page.getByRole('button', { name: 'Use real money…' }).click();
    const sheet = page.getByRole('dialog', { name: 'Use real money' });
    await sheet.getByRole('button', { name: 'Continue' }).click();
    const switchOn = sheet.getByRole('button', { name: 'Switch to real money' });
    await expect(switchOn).toBeVisible();
    await mint.away();
    await switchOn.click();
    await expect(sheet.getByText('Real money is on')).toBeVisible();
    await expect(sheet.getByText('isn’t responding.')).toBeVisible();
  });
});
