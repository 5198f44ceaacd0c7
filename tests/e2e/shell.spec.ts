import { readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { plant, type Tree } from '../support/plant.ts';
import { editor, expectText, onDisk } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';
import { price, writeModels } from './pricing-page.ts';
import { simulatedToken } from './wallet-page.ts';

test.use({ tree: { 'agents/writer/SYSTEM.md': 'You write.\n' } });

test('the server goes away and comes back: the page says so and recovers by itself', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(2);
  await expect(page.getByText('Connected')).toBeAttached();
  await served.kill();
  await expect(page.getByRole('alert').getByText(/^Offline/)).toBeVisible();
  // What was read stays, what was not says why.
  await expect(page.getByRole('option')).toHaveCount(2);
  await page.getByRole('option', { name: 'writer' }).click();
  await expect(page.getByText('The API is offline')).toBeVisible();
  await served.startAgain();
  await expect(page.getByRole('alert').getByText(/^Offline/)).toHaveCount(0, { timeout: 10_000 });
  await expect(page.getByRole('textbox', { name: /SYSTEM.md/ })).toBeVisible();
});

/** What another program does to a root while the server is away. */
const CHANGES: Tree = {
  'agents/made-meanwhile/SYSTEM.md': 'm',
  'agents/scout/AGENT.md': 'made-meanwhile',
  'shared/skills/made-meanwhile/SKILL.md': '---\nname: made-meanwhile\ndescription: New.\n---\n',
};

/** A view, what it shows before the server goes, and how what changed meanwhile shows when it is back. */
type Followed = readonly [path: string, before: string, after: (page: Page) => Locator];

const named = (page: Page) => page.getByText('made-meanwhile').first();
const FOLLOWED: readonly Followed[] = [
  ['/', 'scout', named],
  [
    '/agents/scout/files/SYSTEM.md',
    'You are a scout.',
    (page) => page.getByRole('tab', { name: 'AGENT.md' }),
  ],
  ['/agents/scout/skills', 'git-summary', named],
  ['/catalog', 'git-summary', named],
  ['/trash', 'The trash is empty', (page) => page.getByText('writer').first()],
  ['/settings', 'Appearance', (page) => page.getByRole('button', { name: 'Use default for Price interval' })],
  ['/wallet', 'Nothing yet', (page) => page.getByText('+64 sat')],
  ['/pricing', 'Calculator', named],
];

// Each page has a stream, and a browser has six connections to one server for all of them.
for (const [part, followed] of [FOLLOWED.slice(0, 4), FOLLOWED.slice(4)].entries()) {
  test(`every view recovers by itself and shows what changed meanwhile, part ${part + 1}`, async ({
    page,
    served,
    context,
  }) => {
    const pages = await Promise.all(
      followed.map(async ([path, before, after], at) => {
        const view = at === 0 ? page : await context.newPage();
        await view.goto(served.pageUrl.replace('/#', `${path}#`));
        await expect(view.getByText(before).first()).toBeVisible();
        await expect(view.getByText('Connected')).toBeAttached();
        return { view, after };
      }),
    );
    const files = part === 0 ? pages[1]?.view : undefined;
    if (files) await editor(files).fill('typed before');
    await served.kill();
    for (const { view } of pages) await expect(view.getByText(/^Offline:/)).toBeVisible();
    if (files) {
      await editor(files).press('ControlOrMeta+End');
      await files.keyboard.type(' and after');
    }
    await plant(served.root, CHANGES);
    await writeModels(served, { 'made-meanwhile': price(1, 2) });
    await writeFile(join(served.directory, 'data/settings.json'), '{"btcRefreshIntervalSeconds":4242}');
    await served.startAgain();
    // What only the server itself can change changes before any page has asked.
    await page.request.post(`${served.url}/api/wallet/receive`, { data: { token: simulatedToken(64) } });
    await page.request.delete(`${served.url}/api/agents/writer`, { data: { confirm: 'writer' } });
    for (const { view, after } of pages) {
      await expect(view.getByText(/^Offline:/)).toHaveCount(0, { timeout: 10_000 });
      await expect(after(view)).toBeVisible();
    }
    if (files) await expectText(editor(files), 'typed before and after');
  });
}

test('a page that was never opened opens while the server is away, and recovers by itself', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  await expect(page.getByText('Connected')).toBeAttached();
  await expect
    .poll(() =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('/first-run-page-')),
      ),
    )
    .toBe(true);
  await served.kill();
  await expect(page.getByText(/^Offline:/)).toBeVisible();
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(page.getByRole('heading', { name: 'The API is offline' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
  await page.keyboard.press('Escape');
  await served.startAgain();
  await expect(page.getByText('git-summary').first()).toBeVisible({ timeout: 10_000 });
});

test('by keys alone: from the list to a file, which is edited and saved, to its links, and to the wallet', async ({
  page,
  context,
  served,
}) => {
  await page.goto(served.pageUrl);
  await tabTo(page, page.getByRole('combobox', { name: 'Search agents' }));
  await page.keyboard.type('sco');
  await expect(page.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/agents\/scout\/files\/SYSTEM\.md$/);
  await tabTo(page, editor(page));
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('You look around.');
  await page.keyboard.press('ControlOrMeta+s');
  await expect.poll(() => onDisk(served)).toBe('You are a scout.\nYou look around.');

  await pressOn(page, page.getByRole('link', { name: 'Skills' }), 'by keys', 'Shift+Tab');
  await pressOn(page, page.getByRole('button', { name: 'Link git-summary', exact: true }), 'by keys');
  await expect(page.getByRole('button', { name: 'Unlink git-summary' })).toBeVisible();
  expect(await readlink(served.agent('scout/skills/git-summary'))).toBe('../../../shared/skills/git-summary');

  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('wallet');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await tabTo(page, page.getByRole('textbox', { name: 'Cashu token' }));
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
  await page.evaluate((text) => navigator.clipboard.writeText(text), simulatedToken(64));
  await page.keyboard.press('ControlOrMeta+V');
  await expect(page.getByRole('textbox', { name: 'Cashu token' })).toHaveValue(simulatedToken(64));
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('64 sat');
  await expect(page.locator('body')).not.toBeFocused();
});

test('the last agent and file open again when the page is opened at its front', async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await page.getByRole('option', { name: 'writer' }).click();
  await page.getByRole('tab', { name: 'pi-args' }).click();
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/pi-args`);
  await page.goto(served.url);
  await expect(page).toHaveURL(`${served.url}/agents/writer/files/pi-args`);
  // The way to the list is still the list.
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await expect(page).toHaveURL(`${served.url}/`);
  await expect(page.getByText('No agent selected')).toBeVisible();
});

test('a last agent that is gone is not opened', async ({ page, served }) => {
  await page.goto(`${served.url}/agents/writer/files/SYSTEM.md`);
  await expect(page.getByRole('heading', { name: 'writer' })).toBeVisible();
  await page.request.delete(`${served.url}/api/agents/writer`, { data: { confirm: 'writer' } });
  await page.goto(served.url);
  await expect(page.getByRole('option')).toHaveCount(1);
  await expect(page).toHaveURL(`${served.url}/`);
});
