import { readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { plant, type Tree } from '../support/plant.ts';
import { editor, expectText, onDisk } from './editor.ts';
import { expect, showTab, signInAgain, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';
import { watchLayoutShift } from './layout-shift.ts';
import { price, writeModels } from './pricing-page.ts';
import { simulatedToken } from './wallet-page.ts';

test.use({ tree: { 'agents/writer/SYSTEM.md': 'You write.\n' } });

/** Waits until the code of a view is there, which loads when the page is idle. */
const untilLoaded = (page: Page, name: string) =>
  expect
    .poll(() =>
      page.evaluate(
        (part) => performance.getEntriesByType('resource').some((entry) => entry.name.includes(part)),
        name,
      ),
    )
    .toBe(true);

test('the server goes away and comes back: the page says so and recovers automatically', {
  tag: '@smoke',
}, async ({ page, served }) => {
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(2);
  await expect(page.getByText('Connected')).toBeAttached();
  await untilLoaded(page, '/files-section-');
  await served.kill();
  await expect(page.getByRole('alert').getByText(/^Offline/)).toBeVisible();
  // What was read stays, what was not says why.
  await expect(page.getByRole('option')).toHaveCount(2);
  await page.getByRole('option', { name: 'writer' }).click();
  await expect(page.getByText('The API is offline')).toBeVisible();
  await served.startAgain();
  await expect(page.getByRole('alert').getByText(/^Offline/)).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: /SYSTEM.md/ })).toBeVisible();
});

/** What another program does to a root while the server is away. */
const CHANGES: Tree = {
  'agents/made-meanwhile/SYSTEM.md': 'm',
  'agents/scout/AGENT.md': 'made-meanwhile',
  'shared/skills/made-meanwhile/SKILL.md': '---\nname: made-meanwhile\ndescription: New.\n---\n',
};

/** A view that is open while the server goes away and comes back. */
interface Followed {
  readonly path: string;
  /** What it shows before. */
  readonly before: string;
  /** What shows that it follows what changed meanwhile. */
  readonly after: (page: Page) => Locator;
  /** The button that brings its field. */
  readonly opens?: string;
  /** Where something is typed, half of it while the server is there. Only the trash has nothing to type in. */
  readonly field?: (page: Page) => Locator;
  readonly typed?: string;
}

const named = (page: Page) => page.getByText('made-meanwhile').first();
const box = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true });
const FOLLOWED: readonly Followed[] = [
  {
    path: '/agents',
    before: 'scout',
    after: named,
    opens: 'New agent',
    field: box('Agent id'),
    typed: 'typed-id',
  },
  {
    path: '/agents/scout/files/SYSTEM.md',
    before: 'You are a scout.',
    after: (page) => page.getByRole('tab', { name: 'AGENT.md' }),
    field: editor,
    typed: 'typed before and after',
  },
  {
    path: '/agents/scout/skills',
    before: 'git-summary',
    after: named,
    field: (page) => page.getByLabel('Search shared skills'),
    typed: 'meanwhile',
  },
  {
    path: '/catalog',
    before: 'git-summary',
    after: named,
    field: (page) => page.getByLabel('Search skills'),
    typed: 'meanwhile',
  },
  { path: '/trash', before: 'The trash is empty', after: (page) => page.getByText('writer').first() },
  {
    path: '/settings/pricing',
    before: 'Price interval',
    after: (page) => page.getByRole('button', { name: 'Use default for Price interval' }),
    field: box('Price interval'),
    // Its first half isn't accepted, so it doesn't save itself.
    typed: '1200',
  },
  {
    path: '/wallet',
    before: 'Nothing yet',
    after: (page) => page.getByText('+64 sat', { exact: true }),
    opens: 'Receive',
    field: box('Cashu token'),
    typed: simulatedToken(77),
  },
  {
    path: '/pricing',
    before: 'Calculator',
    after: named,
    opens: 'Add model…',
    field: box('Name that programs use'),
    typed: 'typed-model',
  },
];

/** What is in a field; the editor's text has no value. */
const expectTyped = async (field: Locator, text: string): Promise<void> => {
  const hasValue = await field.evaluate((element) => 'value' in element);
  await (hasValue ? expect(field).toHaveValue(text) : expectText(field, text));
};

test('every view recovers automatically, shows what changed meanwhile and keeps what is typed', async ({
  page,
  served,
  context,
}) => {
  test.slow();
  const pages: (Followed & { readonly view: Page })[] = [];
  for (const each of FOLLOWED) {
    const view = pages.length === 0 ? page : await context.newPage();
    await view.goto(served.pageAt(each.path));
    await expect(view.getByText(each.before).first()).toBeVisible();
    await expect(view.getByText('Connected')).toBeAttached();
    await showTab(view, false);
    pages.push({ ...each, view });
  }
  const halfOf = (typed: string): number => Math.floor(typed.length / 2);
  for (const { view, opens, field, typed } of pages) {
    if (opens) await view.getByRole('button', { name: opens }).first().click();
    if (field && typed) await field(view).fill(typed.slice(0, halfOf(typed)));
  }
  await served.kill();
  for (const { view, field, typed } of pages) {
    await showTab(view, true);
    await expect(view.getByText(/^Offline:/)).toBeVisible();
    if (!field || !typed) continue;
    await field(view).press('ControlOrMeta+End');
    await view.keyboard.insertText(typed.slice(halfOf(typed)));
  }
  for (const { view } of pages) await showTab(view, false);
  await plant(served.root, CHANGES);
  await writeModels(served, { 'made-meanwhile': price(1, 2) });
  await writeFile(join(served.directory, 'data/settings.json'), '{"btcRefreshIntervalSeconds":4242}');
  await served.startAgain();
  for (const { view } of pages) await signInAgain(view, served);
  // What only the server itself can change changes before any page has asked.
  await page.request.post(`${served.url}/api/wallet/receive`, { data: { token: simulatedToken(64) } });
  await page.request.delete(`${served.url}/api/agents/writer`, { data: { confirm: 'writer' } });
  for (const { view, after, field, typed } of pages) {
    await showTab(view, true);
    await expect(view.getByText(/^Offline:/)).toHaveCount(0);
    await expect(after(view)).toBeVisible();
    if (field && typed) await expectTyped(field(view), typed);
    await showTab(view, false);
  }
});

test('a tab has a connection only while it’s shown, and then shows what changed meanwhile', async ({
  page,
  served,
  context,
}) => {
  const tabs = [page];
  // A browser has six connections to one server, so a stream in each tab would leave none for the last.
  while (tabs.length < 8) tabs.push(await context.newPage());
  for (const tab of tabs) {
    await tab.goto(served.pageAt('/agents'));
    await expect(tab.getByRole('option', { name: 'writer' })).toBeVisible();
    await showTab(tab, false);
  }
  await plant(served.root, { 'agents/while-hidden/SYSTEM.md': 'h' });
  for (const tab of tabs) {
    await expect(tab.getByRole('option', { name: 'while-hidden' })).toHaveCount(0);
    await showTab(tab, true);
    await expect(tab.getByRole('option', { name: 'while-hidden' })).toBeVisible();
    await showTab(tab, false);
  }
});

test('messages lie over the page and move nothing, whether they appear, stack or leave', async ({
  page,
  served,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [width, height] of [
    [1280, 800],
    [390, 700],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(served.pageAt('/agents/scout/files/SYSTEM.md'));
    // Its counts come last.
    await expect(page.getByText(/^≈ \d+ tokens$/)).toBeVisible();
    const moved = await watchLayoutShift(page);
    const messages = page.getByRole('dialog').filter({ hasText: 'Copied the' });
    for (const name of ['Copy path', 'Copy run command'] as const) {
      if (name === 'Copy path') await page.getByRole('button', { name: 'More actions for scout' }).click();
      await page
        .getByRole(name === 'Copy path' ? 'menuitem' : 'button', { name, exact: true })
        .last()
        .click();
    }
    await expect(messages).toHaveCount(2);
    await expect(messages).toHaveCount(0);
    expect(await moved(), `${width} px`).toBe(0);
  }
});

test('a page that was never opened opens while the server is away, and recovers automatically', async ({
  page,
  served,
}) => {
  await page.goto(served.pageUrl);
  await expect(page.getByText('Connected')).toBeAttached();
  for (const part of ['/first-run-page-', '/catalog-page-', '/app-overlays-']) await untilLoaded(page, part);
  await served.kill();
  await expect(page.getByText(/^Offline:/)).toBeVisible();
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(page.getByRole('heading', { name: 'The API is offline' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog', { name: 'Search' })).toBeVisible();
  await page.keyboard.press('Escape');
  await served.startAgain();
  await expect(page.getByText('git-summary').first()).toBeVisible();
});

test('by keyboard alone: from the list to a file, which is edited and saved, to its links, and to the wallet', async ({
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
  await expect(page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')).toBeFocused();
  await page.keyboard.type('wallet');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/wallet`);
  await pressOn(page, page.getByRole('main').getByRole('button', { name: 'Receive' }), 'by keys');
  await expect(page.getByRole('textbox', { name: 'Cashu token' })).toBeFocused();
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
  await page.evaluate((text) => navigator.clipboard.writeText(text), simulatedToken(64));
  await page.keyboard.press('ControlOrMeta+V');
  await expect(page.getByRole('textbox', { name: 'Cashu token' })).toHaveValue(simulatedToken(64));
  await page.keyboard.press('ControlOrMeta+Enter');
  const includeHidden = true;
  await expect(page.getByRole('region', { name: 'Balance', includeHidden })).toContainText('64 sat');
  await expect(page.locator('body')).not.toBeFocused();
});
