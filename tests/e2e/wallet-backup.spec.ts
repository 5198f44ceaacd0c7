import { Wallet } from '@cashu/cashu-ts';
import type { Page } from '@playwright/test';
import { mnemonicToSeedSync } from '@scure/bip39';
import { sumOf } from '../support/mint/client.ts';
import { expect } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { asOperator, openWallet, walletTest as test } from './wallet-page.ts';

/** The words of another wallet. */
const WORDS = `${'abandon '.repeat(11)}about`;

const backupDialog = (page: Page) => page.getByRole('dialog', { name: 'Backup words' });
const restoreDialog = (page: Page) => page.getByRole('dialog', { name: 'Restore from words' });

test('shows the backup words only after a warning, and hides them again', async ({ page, served }) => {
  const { mnemonic } = await asOperator<{ mnemonic: string }>(served, 'seed');
  const asked: string[] = [];
  page.on('request', (request) => void (request.url().endsWith('/seed') && asked.push(request.url())));
  const { open, backup } = await openWallet(page, served);
  await open('Backup');
  const [first = ''] = mnemonic.split(' ');
  await backup.getByRole('button', { name: 'Show backup words…' }).click();
  await expect(backupDialog(page)).toContainText('Make sure no one can see your screen.');
  expect(asked).toEqual([]);
  await backupDialog(page).getByRole('button', { name: 'Show words' }).click();
  const list = backupDialog(page).getByRole('list', { name: 'The words, in order' });
  await expect(list.getByRole('listitem')).toHaveText(
    mnemonic.split(' ').map((word, index) => `${index + 1}${word}`),
  );
  await expect(backupDialog(page)).toContainText('Other programs can read the clipboard');
  await backupDialog(page).getByRole('button', { name: 'Done' }).click();
  await expect(backupDialog(page)).toHaveCount(0);
  await expect(page.getByText(first, { exact: true })).toHaveCount(0);

  // By keyboard; and they are asked for anew each time.
  await expect(backup.getByRole('button', { name: 'Show backup words…' })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, backupDialog(page).getByRole('button', { name: 'Show words' }));
  await page.keyboard.press('Enter');
  await expect(list).toBeVisible();
  // The button that was pressed is gone, and the focus is where the words are.
  await expect(backupDialog(page).locator('[aria-live]')).toBeFocused();
  expect(asked).toHaveLength(2);
  // Someone opens another tab: the words are not left standing there.
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect(list).toHaveCount(0);
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: false, configurable: true }));

  // Three right words make it backed up, also for another page.
  await backupDialog(page).getByRole('button', { name: 'Show words' }).click();
  await backupDialog(page).getByRole('button', { name: 'I wrote them down' }).click();
  const check = backupDialog(page);
  const fields = check.getByRole('textbox', { name: /^Word \d+$/ });
  await expect(fields).toHaveCount(3);
  await expect(fields.first()).toBeFocused();
  const submit = check.getByRole('button', { name: 'Check words' });
  for (const field of await fields.all()) await field.fill('abandon');
  await submit.click();
  await expect(check.getByRole('alert')).toContainText('These words don’t match');
  for (const field of await fields.all()) {
    const position = Number(
      /\d+/.exec((await field.evaluate((input: HTMLInputElement) => input.labels?.[0]?.textContent)) ?? ''),
    );
    await field.fill(mnemonic.split(' ')[position - 1] ?? '');
  }
  await submit.click();
  await expect(check.getByRole('status')).toContainText('Backed up');
  await check.getByRole('button', { name: 'Done' }).click();
  await expect(backup).toContainText('You confirmed the words');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Backed up', exact: true })).toBeVisible();
});

test('restores an empty wallet from words, by keyboard alone, and says which words are not backup words', async ({
  page,
  served,
  mint,
}) => {
  const other = new Wallet(mint.url, { bip39seed: mnemonicToSeedSync(WORDS) });
  await other.loadMint();
  const lost = await other.receive(mint.issue(501), {}, { type: 'deterministic', counter: 0 });
  expect(sumOf(lost)).toBe(500);

  const { mnemonic } = await asOperator<{ mnemonic: string }>(served, 'seed');
  const { open, backup, balance, rows } = await openWallet(page, served, 'by keys');
  await open('Backup', 'by keys');
  await tabTo(page, backup.getByRole('button', { name: 'Restore from words…' }));
  await page.keyboard.press('Enter');
  const field = restoreDialog(page).getByRole('textbox', { name: 'Backup words' });
  await expect(field).toBeFocused();
  await page.keyboard.type('abandon abandom abo');
  await expect(restoreDialog(page)).toContainText('3 words. Not on the list of backup words: 2. “abandom”.');
  const submit = restoreDialog(page).getByRole('button', { name: 'Restore' });
  await expect(submit).toBeDisabled();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('abandon '.repeat(12));
  await expect(restoreDialog(page)).toContainText('12 words.');
  await tabTo(page, submit);
  await page.keyboard.press('Enter');
  // Twelve words of the list, but the last one does not fit the others.
  await expect(restoreDialog(page).getByRole('alert')).toContainText('These aren’t backup words');
  await tabTo(page, field, 'Shift+Tab');
  await page.keyboard.press('ControlOrMeta+A');
  // As they stand on paper.
  await page.keyboard.insertText(
    WORDS.split(' ')
      .map((word, index) => `${index + 1}. ${word}`)
      .join('\n'),
  );
  await expect(restoreDialog(page).getByRole('alert')).toHaveCount(0);
  await tabTo(page, submit);
  await page.keyboard.press('Enter');
  // The mint is asked for a thousand counters and more, and every answer is checked.
  await expect(restoreDialog(page).getByRole('status')).toContainText('Restored 500 sat');
  await expect(restoreDialog(page)).toContainText('This wallet now uses the words you entered.');
  await tabTo(page, restoreDialog(page).getByRole('button', { name: 'Done' }));
  await page.keyboard.press('Enter');
  await expect(restoreDialog(page)).toHaveCount(0);
  await expect(balance).toContainText('500 sat');
  await expect(rows.first()).toContainText('Restore');
  await expect(backup.getByRole('button', { name: 'Restore from words…' })).toBeFocused();
  expect((await asOperator<{ mnemonic: string }>(served, 'seed')).mnemonic).toBe(WORDS);

  // What was typed is forgotten, and so is how it went.
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('');
  await expect(restoreDialog(page)).not.toContainText('Restored 500 sat');
  await page.keyboard.press('Escape');

  // The words it had are kept, apart from its own.
  await backup.getByRole('button', { name: 'Show backup words…' }).click();
  await backupDialog(page).getByRole('button', { name: 'Show words' }).click();
  await expect(backupDialog(page)).toContainText('Other backup words');
  const reveal = backupDialog(page).getByRole('button', { name: /^Show words for / });
  await tabTo(page, reveal);
  await page.keyboard.press('Enter');
  const others = backupDialog(page).getByRole('list', { name: /^The words for .*, in order$/ });
  await expect(others.getByRole('listitem')).toHaveText(
    mnemonic.split(' ').map((word, index) => `${index + 1}${word}`),
  );
  await expect(backupDialog(page).getByRole('button', { name: /^Hide words for / })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(others).toHaveCount(0);
});
