import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const quickOpen = (page: Page) => page.getByRole('dialog', { name: 'Open agent or file' });

const openPalette = async (page: Page) => {
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page).getByRole('combobox')).toBeFocused();
};

test.use({ tree: { 'agents/writer/SYSTEM.md': 'w', 'agents/writer/AGENT.md': 'a' } });

test('the palette goes to a page, by keyboard alone', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(2);
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('walt');
  await expect(palette(page).getByRole('option').first()).toContainText('Go to wallet');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await expect(palette(page)).toHaveCount(0);
  await expect(page.getByRole('main')).toBeFocused();
});

test('the palette by mouse: a click in the rail opens it, and a click runs a command', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  await page.getByRole('button', { name: 'Search commands' }).click();
  await palette(page).getByRole('option', { name: 'Go to catalog' }).click();
  await expect(page).toHaveURL(`${served.url}/catalog`);
});

test('Escape closes the palette and returns the focus, and the palette always opens empty', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  const search = page.getByRole('combobox', { name: 'Search agents' });
  await search.focus();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('nothing like that');
  await expect(palette(page).getByText('No matching command.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await expect(search).toBeFocused();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page).getByRole('combobox')).toHaveValue('');
});

test('commands of the opened agent, a new agent from another page, and a theme', async ({
  page,
  served,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(`${served.url}/agents/writer/files/SYSTEM.md`);
  await expect(page.getByRole('heading', { name: 'writer' })).toBeVisible();
  await openPalette(page);
  await page.keyboard.type('run command');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Copied the run command')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `PI_CODING_AGENT_DIR=${served.agent('writer')} pi`,
  );
  await openPalette(page);
  await page.keyboard.type('agent.md');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/AGENT.md`);
  await openPalette(page);
  await page.keyboard.type('duplicate');
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('dialog', { name: 'Duplicate writer' }).getByLabel('Id for the copy'),
  ).toBeFocused();
  await page.keyboard.press('Escape');

  await page.goto(`${served.url}/catalog`);
  await expect(page.getByRole('heading', { name: 'Catalog' })).toBeVisible();
  await openPalette(page);
  await page.keyboard.type('new agent');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'New agent' }).getByLabel('Agent id')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await openPalette(page);
  await page.keyboard.type('theme dark');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
});

test('the palette opens the field that accepts a token', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(2);
  await openPalette(page);
  await page.keyboard.type('receive');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await expect(page.getByRole('dialog', { name: 'Receive' }).locator('textarea')).toBeFocused();
});

test('quick open jumps to an agent and to a file, by keyboard and by mouse', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(2);
  await page.keyboard.press('ControlOrMeta+p');
  await expect(quickOpen(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('wri');
  await expect(quickOpen(page).getByRole('option').first()).toContainText('writer');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/SYSTEM.md`);
  await expect(page.getByRole('main')).toBeFocused();

  await page.keyboard.press('ControlOrMeta+p');
  await expect(quickOpen(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('sco pi');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/agents/scout/files/pi-args`);

  await page.keyboard.press('ControlOrMeta+p');
  await expect(quickOpen(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('scout/');
  await quickOpen(page)
    .getByRole('option', { name: /skills/ })
    .click();
  await expect(page).toHaveURL(`${served.url}/agents/scout/skills`);

  // An optional file of any agent that has it; opening one that is not there would offer to make it.
  await writeFile(served.agent('writer/AGENT.md'), 'You also write.\n');
  await page.keyboard.press('ControlOrMeta+p');
  await expect(quickOpen(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('wri agent');
  await quickOpen(page)
    .getByRole('option', { name: /AGENT\.md/ })
    .click();
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/AGENT.md`);
});

test('shortcuts are shown on request, and ignore letters typed in a field', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  const search = page.getByRole('combobox', { name: 'Search agents' });
  await search.fill('a');
  await search.press('?');
  await expect(search).toHaveValue('a?');
  await search.press('Escape');
  await page.getByRole('main').focus();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByText('Command palette')).toBeVisible();
  await expect(sheet.getByText('Undo the last removal or link')).toBeVisible();
  // A dialog is answered first.
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page)).toHaveCount(0);
  await sheet.getByRole('button', { name: 'Close' }).click();
  await expect(sheet).toHaveCount(0);
  await page.keyboard.press('ControlOrMeta+,');
  await expect(page).toHaveURL(`${served.url}/settings`);
});

test.describe('ten thousand agents', () => {
  test.use({
    tree: Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`agents/agent-${String(at).padStart(5, '0')}`, null]),
    ),
  });

  test('quick open finds one among them as fast as it is typed', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('ControlOrMeta+p');
    await expect(quickOpen(page).getByRole('combobox')).toBeFocused();
    await page.keyboard.type('age 07777');
    await expect(quickOpen(page).getByRole('option').first()).toContainText('agent-07777');
    // Thirty at most are drawn, however many there are.
    expect(await quickOpen(page).getByRole('option').count()).toBeLessThanOrEqual(30);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/agent-07777/files/SYSTEM.md`);
  });
});
