import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { ALL_SATS, LONG_ID, LONG_MEMO, LONG_MODEL, LONG_NAME, simulatedToken } from './long-root.ts';
import { chooses, editor, opens, opensSheet, sees, types, type View } from './view.ts';

const site = 'long';
const files = `/agents/${LONG_ID}/files/SYSTEM.md`;
const skills = `/agents/${LONG_ID}/skills`;

interface Entries {
  readonly entries: readonly object[];
}

/** Makes the wallet show the largest amount and the longest memo everywhere. */
const richAnswers = async (page: Page): Promise<void> => {
  await page.route('**/api/wallet/balance', async (route) => {
    const json: object = await (await route.fetch()).json();
    await route.fulfill({ json: { ...json, balance: ALL_SATS, pending: ALL_SATS, unlisted: ALL_SATS } });
  });
  await page.route('**/api/wallet/history*', async (route) => {
    const answer: Entries = await (await route.fetch()).json();
    const entries = answer.entries.map((entry, index) => ({
      ...entry,
      amount: ALL_SATS,
      fee: index % 2 === 0 ? ALL_SATS : 0,
      memo: LONG_MEMO,
    }));
    await route.fulfill({ json: { ...answer, entries } });
  });
  await page.reload();
  await page.getByText('memosuper').first().waitFor();
};

const searches = async (page: Page) => {
  await page.getByText('Connected').waitFor({ state: 'attached' });
  await page.keyboard.press('Control+p');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('agent sys');
  await page.getByRole('option').first().waitFor();
};

/** Names, texts and numbers as long as they can be. */
export const LONG_VIEWS: readonly View[] = [
  { name: 'long-agents', path: '/agents', site, ready: sees('agentsuper') },
  { name: 'long-files', path: files, site, ready: (page) => editor(page).waitFor() },
  {
    name: 'long-draft-elsewhere',
    path: files,
    site,
    ready: async (page) => {
      await types(page);
      await page.getByRole('link', { name: 'Catalog' }).click();
      await page.getByRole('button', { name: 'Leave and keep draft' }).click();
      await page.getByText('Used by').first().waitFor();
      await page.reload();
      await page.getByText(/Recovered unsaved text/).waitFor();
    },
  },
  {
    name: 'long-no-such-agent',
    path: `/agents/${LONG_ID.slice(1)}/skills`,
    site,
    ready: sees('No agent called'),
  },
  { name: 'long-links', path: skills, site, ready: sees('broken link') },
  {
    name: 'long-link-toast',
    path: skills,
    site,
    ready: async (page) => {
      await page.getByRole('button', { name: /^Unlink shared/ }).click();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
    after: ({ roots }) =>
      symlinkSync(
        `../../../shared/skills/${LONG_NAME}`,
        join(roots.long, 'agents', LONG_ID, 'skills', LONG_NAME),
      ),
  },
  { name: 'long-unlink-question', path: skills, site, ready: opens(/^Unlink far/) },
  { name: 'long-extensions', path: `/agents/${LONG_ID}/extensions`, site, ready: sees('Shared extensions') },
  { name: 'long-duplicate', path: skills, site, ready: chooses('Duplicate…') },
  { name: 'long-delete', path: skills, site, ready: chooses('Delete…') },
  { name: 'long-catalog', path: '/catalog', site, ready: sees('Used by') },
  { name: 'long-used-by', path: '/catalog', site, ready: opens(/^Show all/) },
  {
    name: 'long-catalog-extensions',
    path: '/catalog',
    site,
    ready: async (page) => {
      await page.getByRole('tab', { name: 'Extensions' }).click();
      await page.getByText('error').first().waitFor();
    },
  },
  {
    name: 'long-no-match',
    path: '/catalog',
    site,
    ready: async (page) => {
      await page.getByRole('combobox', { name: 'Search skills' }).fill(LONG_ID.repeat(3));
      await page.getByText('Nothing matches').waitFor();
    },
  },
  { name: 'long-wallet-dev', path: '/wallet', site, ready: sees('memosuper') },
  {
    name: 'long-token',
    path: '/wallet',
    site,
    ready: async (page) => {
      await opensSheet(page, 'Receive');
      await page.getByRole('textbox', { name: 'Cashu token' }).fill(simulatedToken(ALL_SATS, LONG_MEMO));
      await page.getByText('Not checked').waitFor();
    },
  },
  { name: 'long-wallet', path: '/wallet', ready: richAnswers },
  {
    name: 'long-reclaim',
    path: '/wallet',
    ready: async (page) => {
      await richAnswers(page);
      await opens('Take back')(page);
    },
  },
  {
    name: 'long-send',
    path: '/wallet',
    ready: async (page) => {
      await richAnswers(page);
      await opensSheet(page, 'Send');
      await page.getByRole('textbox', { name: 'Amount in sats' }).fill(`${ALL_SATS}`);
      await page.getByRole('textbox', { name: 'Memo (optional)' }).fill(LONG_MEMO.repeat(2));
      await page.getByText('Use at most 1,000 characters.').waitFor();
    },
  },
  { name: 'long-pricing', path: '/pricing', site, ready: sees('second') },
  {
    name: 'long-pricing-calculated',
    path: '/pricing',
    site,
    ready: async (page) => {
      await sees('second')(page);
      const calculator = page.getByRole('region', { name: 'Calculator' });
      await calculator.getByRole('combobox', { name: 'Model' }).fill(LONG_MODEL);
      await calculator.getByRole('textbox', { name: 'Input tokens' }).fill('9000000000000000');
      await calculator.getByRole('textbox', { name: 'Output tokens' }).fill('9000000000000000');
      await calculator.scrollIntoViewIfNeeded();
    },
  },
  { name: 'long-trash', path: '/trash', site, ready: sees('gonesuper') },
  { name: 'long-remove', path: '/trash', site, ready: opens(/^Delete permanently: gonesuper/) },
  { name: 'long-search', path: '/agents', site, ready: searches },
  {
    name: 'long-new-agent',
    path: '/agents',
    site,
    ready: async (page) => {
      await opens('New agent')(page);
      await page.getByRole('textbox', { name: 'Agent id' }).fill(`${LONG_ID}x`);
      await page.keyboard.press('Enter');
    },
  },
];
