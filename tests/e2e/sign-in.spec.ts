import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './axe.ts';
import { editor } from './editor.ts';
import { expect, test } from './fixtures.ts';

const settingsOf = (address: string) => `${new URL(address).origin}/settings/keys`;

/** Everything that scripts of this origin can read in the browser's storage. */
const storedTexts = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));

const isSignedIn = (page: Page) =>
  expect(page.getByRole('heading', { name: 'Signed-in browsers' })).toBeVisible();

const isSignedOut = (page: Page) => expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();

test('the printed link signs in once, and a reload stays signed in', { tag: '@smoke' }, async ({
  page,
  served,
}) => {
  expect(new URL(served.printedUrl).hostname).toMatch(/^[0-9a-f]{16}\.dot-mi\.localhost$/);
  await page.goto(served.printedUrl);
  await expect(page.getByRole('heading', { name: 'Overview', exact: true })).toBeVisible();
  expect(page.url()).not.toContain('token');
  await page.goto(settingsOf(served.printedUrl));
  await isSignedIn(page);
  await page.reload();
  await isSignedIn(page);
  // This address ends with the process.
  await expect(page.getByText(`sign in at ${served.steadyOrigin}`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Keep this browser signed in' })).toHaveCount(0);
});

test('the permanent token is never in the page, also not when that was pasted', async ({ page, served }) => {
  const operatorToken = (await readFile(join(served.directory, 'data/wallet/operator-token'), 'utf8')).trim();
  const other = await page.context().browser()?.newContext();
  const second = await other?.newPage();
  if (!second) throw new Error('no second browser');
  await second.goto(settingsOf(served.printedUrl));
  await isSignedOut(second);
  expect(await violationsInBothThemes(second)).toEqual([]);
  await second.getByLabel('Link or token').fill(operatorToken);
  await second.keyboard.press('Enter');
  await isSignedIn(second);
  expect(await storedTexts(second)).not.toContain(operatorToken);
  await other?.close();
});

test('a pasted link signs in, and a wrong one says so', async ({ page, served }) => {
  await page.goto(settingsOf(served.printedUrl));
  await page.getByLabel('Link or token').fill('http://dot-mi.localhost/#token=0123456789');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('isn’t valid')).toBeVisible();
  await page.getByLabel('Link or token').fill(served.printedUrl);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isSignedIn(page);
});

test('“Keep me signed in” survives a restart, a second tab and a bookmark, until it is ended', async ({
  page,
  context,
  served,
}) => {
  const settings = settingsOf(served.steadyOrigin);
  await page.goto(settings);
  await page.getByLabel('Link or token').fill(served.printedUrl);
  await expect(page.getByRole('checkbox', { name: 'Keep me signed in' })).not.toBeChecked();
  await page.getByRole('checkbox', { name: 'Keep me signed in' }).check();
  await page.getByRole('button', { name: 'Sign in' }).click();
  const browsers = page.getByRole('region', { name: 'Signed-in browsers' });
  await expect(browsers.getByText('(this browser)')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);

  const bookmark = await context.newPage();
  await bookmark.goto(settings);
  await isSignedIn(bookmark);

  await served.kill();
  await served.startAgain();
  // The open tab gets a token of the new run with its key; nobody did anything.
  await isSignedIn(page);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.reload();
  await isSignedIn(page);

  await page.getByRole('button', { name: /^Sign out/ }).click();
  await expect(page.getByText('is signed out')).toBeVisible();
  await isSignedOut(page);
  const after = await context.newPage();
  await after.goto(settings);
  await isSignedOut(after);
});

test('without it a restart signs the page out, and the page says how to sign in', async ({
  page,
  served,
}) => {
  await page.goto(settingsOf(served.steadyOrigin));
  await page.getByLabel('Link or token').fill(served.printedUrl);
  await page.keyboard.press('Enter');
  await isSignedIn(page);
  await served.kill();
  await served.startAgain();
  await isSignedOut(page);
  await page.getByLabel('Link or token').fill(served.printedUrl);
  await page.keyboard.press('Enter');
  await isSignedIn(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await isSignedOut(page);
  await page.reload();
  await isSignedOut(page);
});

test('a tab of the printed link says after a restart that there is a new one, and gives its text back', async ({
  page,
  served,
}) => {
  // The page loads what it needs for this before.
  const loaded = page.waitForResponse(/restarted-banner/);
  await page.goto(served.printedUrl);
  await page.goto(new URL('/agents/scout/files/SYSTEM.md', served.printedUrl).href);
  const earlier = page.url();
  await editor(page).fill('Kept by dot-mi.\n');
  await loaded;
  await served.kill();
  await editor(page).fill('Typed while dot-mi was gone.\n');
  await served.startAgain();
  const alert = page.getByRole('alert').filter({ hasText: 'dot-mi has restarted.' });
  await expect(alert).toContainText('Open the new link that it printed in its terminal.');
  await expect(page.getByText('Offline:')).toHaveCount(0);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download it' }).click();
  const file = await (await downloading).path();
  expect(await readFile(file, 'utf8')).toBe('# scout/SYSTEM.md\n\nTyped while dot-mi was gone.\n\n');
  await page.close();

  // A browser that opens the old link again gets words, not JSON.
  const again = await page.context().newPage();
  await again.goto(earlier);
  await expect(again.getByRole('heading')).toHaveText(
    'dot-mi has restarted, so this link doesn’t work anymore',
  );
});

test('the operator token can be renewed in the settings', async ({ page, served }) => {
  const file = join(served.directory, 'data/wallet/operator-token');
  const before = await readFile(file, 'utf8');
  await page.goto(served.printedUrl);
  await page.goto(settingsOf(served.printedUrl));
  await page.getByRole('button', { name: 'Renew operator token…' }).click();
  await page.getByRole('button', { name: 'Renew token' }).click();
  await expect(page.getByText('was renewed')).toBeVisible();
  expect(await readFile(file, 'utf8')).not.toBe(before);
  await page.reload();
  await isSignedIn(page);
});
