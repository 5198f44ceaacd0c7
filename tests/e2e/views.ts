import { writeFile } from 'node:fs/promises';
import { mergeTests } from '@playwright/test';
import type { Tree } from '../support/plant.ts';
import { editor, expectText, tab } from './editor.ts';
import { expect } from './fixtures.ts';
import { pricingTest } from './pricing-page.ts';
import { heading, ON_TOP, onTop, opens, type Scene, type View } from './view.ts';
import { PRICING_VIEWS } from './views-pricing.ts';
import { WALLET_VIEWS } from './views-wallet.ts';
import { walletTest } from './wallet-page.ts';

const LONG = 'a-very-long-name-that-nobody-would-type-by-hand-but-a-script-does';

/** More agents with one skill than the catalog names in a row. */
const USERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((count) => `user-${count}`);

/** A root in which every view has something to show: broken, long, local, missing. */
const FULL_ROOT: Tree = {
  [`agents/${LONG.slice(0, 64)}/SYSTEM.md`]: 'x',
  'agents/writer/workspace.conf': '',
  'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
  'agents/scout/skills/moved': { link: '/elsewhere/moved' },
  'agents/scout/skills/own/SKILL.md': '---\nname: own\n---\n',
  'agents/scout/skills/far': { link: '../../../shared/extensions' },
  'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  ...Object.fromEntries(
    USERS.map((id) => [`agents/${id}/skills/git-summary`, { link: '../../../shared/skills/git-summary' }]),
  ),
  'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back.\n---\n',
  'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
  [`shared/skills/${LONG}/SKILL.md`]: `---\nname: ${LONG}\ndescription: ${'Long words. '.repeat(60)}\n---\n`,
  'shared/extensions/folder/index.ts': '',
};

/** A test with all that the views need: a root, a mint, a source of the BTC price, and a server that nobody used yet. */
export const viewsTest = mergeTests(walletTest, pricingTest).extend({
  tree: FULL_ROOT,
  environment: async ({ mint, source }, use) =>
    use({ DOT_MI_ROOT: '', MINT_URL: mint.url, BTC_PRICE_SOURCES: source.setting }),
});

/** What a person sees first: without the token of the printed address, and with it. Leads into the root of the test. */
const FIRST_VIEWS: readonly View[] = [
  {
    name: 'first run, without the token',
    ready: async (scene) => {
      await scene.page.goto(scene.served.url);
      await heading('Who is there?')(scene);
    },
  },
  {
    name: 'first run',
    ready: async (scene) => {
      await scene.page.goto(scene.served.pageUrl);
      await heading('Welcome to dot-mi')(scene);
    },
  },
  {
    name: 'first run, a path that is none',
    ready: async ({ page }) => {
      await page.getByLabel('Root directory').fill('agents');
      await page.keyboard.press('Enter');
      await expect(page.getByText('The root must be an absolute path')).toBeVisible();
    },
  },
  {
    name: 'agents',
    ready: async ({ page, served }) => {
      await page.getByLabel('Root directory').fill(served.root);
      await page.keyboard.press('Enter');
      await expect(page.getByRole('option').first()).toBeVisible();
      // So that the trash has something to show.
      await page.request.post(`${served.url}/api/agents`, { data: { name: 'gone-agent' } });
      await page.request.delete(`${served.url}/api/agents/gone-agent`, { data: { confirm: 'gone-agent' } });
    },
  },
];

/** Presses the keys that open something on top. */
const presses =
  (keys: string, name: string) =>
  async ({ page }: Scene): Promise<void> => {
    await page.keyboard.press(keys);
    await onTop(page, name);
  };

const OVERLAYS: readonly View[] = [
  { name: 'command palette', path: '/', ready: presses('ControlOrMeta+k', 'Command palette'), part: ON_TOP },
  { name: 'quick open', ready: presses('ControlOrMeta+p', 'Open agent or file'), part: ON_TOP },
  {
    name: 'shortcuts',
    ready: async (scene) => {
      await scene.page.getByRole('main').focus();
      await presses('?', 'Keyboard shortcuts')(scene);
    },
    part: ON_TOP,
  },
  { name: 'API', ready: opens(/^API:/, /^API:/), part: ON_TOP },
  { name: 'new agent', path: '/', ready: opens('New agent', 'New agent'), part: ON_TOP },
];

const AGENT_VIEWS: readonly View[] = [
  {
    name: 'files',
    path: '/agents/scout/files/SYSTEM.md',
    ready: ({ page }) => expectText(editor(page), 'You are a scout.\n'),
  },
  { name: 'add a file', ready: opens('Add a file'), part: ON_TOP },
  { name: 'actions for an agent', ready: opens('More actions for scout'), part: ON_TOP },
  {
    name: 'conflict, compared and searched',
    path: '/agents/scout/files/SYSTEM.md',
    ready: async ({ page, served }) => {
      await editor(page).fill('---\nname: scout\n---\n\n# Mine\n\n`code`, *more*');
      await writeFile(served.agent('scout/SYSTEM.md'), '# Theirs\n');
      await page.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('button', { name: 'Take this part from disk' }).first().waitFor();
      await page.getByRole('button', { name: 'Find and replace' }).click();
      await page.getByRole('textbox', { name: 'Find' }).fill('more');
    },
    part: 'main',
  },
  {
    name: 'unsaved text',
    ready: async ({ page }) => {
      await page.getByRole('button', { name: 'Overwrite' }).click();
      await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
      await editor(page).fill('typed');
      await page.getByRole('link', { name: 'Catalog' }).click();
      await onTop(page, 'Leave with unsaved changes?');
    },
    part: ON_TOP,
  },
  {
    name: 'skills',
    path: '/agents/scout/skills',
    ready: ({ page }) => expect(page.getByText('broken link', { exact: true }).first()).toBeVisible(),
  },
  { name: 'duplicate agent', ready: opens('Duplicate scout…', 'Duplicate scout'), part: ON_TOP },
  { name: 'delete agent', ready: opens('Delete scout…', 'Delete scout?'), part: ON_TOP },
  { name: 'unlink elsewhere', ready: opens('Unlink far', 'Unlink far?'), part: ON_TOP },
  {
    name: 'extensions',
    path: '/agents/scout/extensions',
    ready: ({ page }) => expect(page.getByRole('list', { name: 'Extensions of this agent' })).toBeVisible(),
    part: 'main',
  },
  {
    name: 'no such agent',
    path: '/agents/nobody/files/SYSTEM.md',
    ready: ({ page }) => expect(page.getByText('No agent called “nobody”')).toBeVisible(),
  },
];

const OTHER_VIEWS: readonly View[] = [
  {
    name: 'catalog',
    path: '/catalog',
    ready: ({ page }) => expect(page.getByRole('list', { name: /Agents that use/ }).first()).toBeVisible(),
  },
  { name: 'users of a skill', ready: opens(/^Show all/, /^Agents that use/), part: ON_TOP },
  {
    name: 'trash',
    path: '/trash',
    ready: ({ page }) => expect(page.getByRole('list', { name: 'Deleted agents' })).toBeVisible(),
  },
  {
    name: 'remove for good',
    ready: opens(/Remove for good: gone-agent/, /Remove gone-agent/),
    part: ON_TOP,
  },
  { name: 'settings', path: '/settings', ready: heading('Settings') },
  { name: 'no such page', path: '/nowhere', ready: heading('No such page') },
];

/** The views that have nothing to do with money, in the order in which they are walked through. */
export const FREE_VIEWS: readonly View[] = [...FIRST_VIEWS, ...OVERLAYS, ...AGENT_VIEWS, ...OTHER_VIEWS];

/** Every view; a new one is an entry. */
export const VIEWS: readonly View[] = [...FREE_VIEWS, ...PRICING_VIEWS, ...WALLET_VIEWS];

/** Brings one view after the other onto the page. What is on top is closed again, and the focus goes back from there. */
export async function* walk(views: readonly View[], scene: Scene): AsyncGenerator<View> {
  const { page } = scene;
  for (const view of views) {
    // Goes there as a link of the page does, without loading it all anew.
    if (view.path !== undefined) await page.evaluate((to) => history.pushState(null, '', to), view.path);
    await view.ready(scene);
    yield view;
    if (view.part !== ON_TOP) continue;
    await page.keyboard.press('Escape');
    await expect(page.locator(ON_TOP)).toHaveCount(0);
    await expect(page.locator('body'), `after ${view.name}`).not.toBeFocused();
  }
}
