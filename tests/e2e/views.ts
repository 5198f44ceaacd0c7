import { rename, rm, writeFile } from 'node:fs/promises';
import { mergeTests } from '@playwright/test';
import type { Tree } from '../support/plant.ts';
import { makeSession } from '../support/session-file.ts';
import { choose } from './agent-menu.ts';
import { editor, expectText, tab } from './editor.ts';
import { expect } from './fixtures.ts';
import { pricingTest } from './pricing-page.ts';
import { heading, ON_TOP, onTop, opens, type Scene, type View } from './view.ts';
import { PRICING_VIEWS } from './views-pricing.ts';
import { WALLET_VIEWS } from './views-wallet.ts';
import { simulatedToken, walletTest } from './wallet-page.ts';

const LONG = 'a-very-long-name-that-nobody-would-type-by-hand-but-a-script-does';

/** More agents with one skill than the catalog names in a row. */
const USERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((count) => `user-${count}`);

const session = makeSession();
session.rename('Parcels');
session.say('Send **three** parcels.');
session.call({ input: 10_000, output: 500, usd: 0.25 });
session.call({ input: 10 }, { model: 'unheard-of', stopReason: 'error' });

/** A root in which every view has something to show: broken, long, local, missing. */
const FULL_ROOT: Tree = {
  [`agents/${LONG.slice(0, 64)}/SYSTEM.md`]: 'x',
  'agents/writer/workspace.conf': '',
  'agents/scout/settings.json': '{}',
  'agents/scout/auth.json': '{}',
  'agents/scout/bin': { link: '/usr/bin' },
  'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
  'agents/scout/skills/moved': { link: '/elsewhere/moved' },
  'agents/scout/skills/own/SKILL.md': '---\nname: own\n---\n',
  'agents/scout/skills/far': { link: '../../../shared/extensions' },
  'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  ...Object.fromEntries(
    USERS.map((id) => [`agents/${id}/skills/git-summary`, { link: '../../../shared/skills/git-summary' }]),
  ),
  [`agents/user-one/sessions/--work--/${session.fileName}`]: session.text(),
  'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back.\n---\n',
  'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
  [`shared/skills/${LONG}/SKILL.md`]: `---\nname: ${LONG}\ndescription: ${'Long words. '.repeat(60)}\n---\n`,
  'shared/extensions/folder/index.ts': '',
  'shared/presets/web research.json': JSON.stringify({ skills: ['git-summary', LONG, 'absent'] }),
  'shared/presets/broken.json': '{',
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
      await heading('Sign in to this dot-mi')(scene);
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
      await page.getByLabel('Folder', { exact: true }).fill('agents');
      await page.keyboard.press('Enter');
      await expect(page.getByText('is not an absolute path')).toBeVisible();
    },
  },
  {
    name: 'agents',
    ready: async ({ page, served }) => {
      await page.getByLabel('Folder', { exact: true }).fill(served.root);
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
  {
    name: 'overview',
    path: '/',
    ready: ({ page }) => expect(page.getByRole('region', { name: 'Needs attention' })).toContainText('scout'),
  },
  { name: 'API', path: '/connect', ready: heading('API') },
  {
    name: 'a route of the API, with an answer',
    path: '/connect/routes/files.write',
    ready: async ({ page }) => {
      await page.getByText(/^\d headers$/).click();
      await page.getByRole('button', { name: 'Send…' }).click();
      await page.getByRole('button', { name: 'Send PUT' }).click();
      await expect(page.getByRole('region', { name: 'Answer', exact: true })).toContainText('200 OK');
    },
    part: 'main',
  },
  {
    name: 'requests to the API',
    path: '/connect/requests',
    ready: async ({ page, served }) => {
      await page.request.get(`${served.url}/api/agents/nobody`);
      await expect(page.getByText('404 agent_not_found')).toBeVisible();
    },
    part: 'main',
  },
  { name: 'search', path: '/agents', ready: presses('ControlOrMeta+k', 'Search'), part: ON_TOP },
  {
    name: 'search, with matches',
    ready: async (scene) => {
      await presses('ControlOrMeta+k', 'Search')(scene);
      await scene.page.keyboard.type('scout');
      await expect(scene.page.getByRole('group', { name: 'In prompts: scout' })).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'shortcuts',
    ready: async (scene) => {
      await scene.page.getByRole('main').focus();
      await presses('?', 'Keyboard shortcuts')(scene);
    },
    part: ON_TOP,
  },
  { name: 'API state', ready: opens(/^API:/, /^API:/), part: ON_TOP },
  { name: 'roots', ready: opens(/^Root:/), part: ON_TOP },
  { name: 'new agent', path: '/agents', ready: opens('New agent', 'New agent'), part: ON_TOP },
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
      await page.getByRole('button', { name: 'Use this part from disk' }).first().waitFor();
      await page.getByRole('button', { name: 'Find and replace' }).click();
      await page.getByRole('textbox', { name: 'Find' }).fill('more');
    },
    part: 'main',
  },
  {
    name: 'unsaved text',
    ready: async ({ page }) => {
      await page.getByRole('button', { name: 'Save merged' }).click();
      await expect(tab(page, 'SYSTEM.md')).not.toHaveAccessibleName(/unsaved/);
      await editor(page).fill('typed');
      await page.getByRole('button', { name: '1 unsaved file' }).click();
      await expect(page.getByRole('menuitem', { name: /scout/ })).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'unsaved text that was brought back',
    path: '/agents/scout/files/SYSTEM.md',
    ready: async ({ page }) => {
      await expectText(editor(page), 'typed');
      await page.reload();
      await expect(page.getByText('Recovered unsaved text in SYSTEM.md')).toBeVisible();
      await expectText(editor(page), 'typed');
    },
    part: 'main',
  },
  {
    name: 'deleted on disk',
    ready: async ({ page, served }) => {
      await rm(served.agent('scout/SYSTEM.md'));
      await expect(page.getByText('SYSTEM.md was deleted on disk')).toBeVisible();
    },
    part: 'main',
    after: ({ served }) => writeFile(served.agent('scout/SYSTEM.md'), 'theirs'),
  },
  {
    name: 'not a text file',
    path: '/agents/scout/files/pi-args',
    ready: async ({ page, served }) => {
      await writeFile(served.agent('scout/pi-args'), Buffer.from([0xff, 0xfe, 0]));
      await expect(page.getByRole('heading', { name: 'Not a text file' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'skills',
    path: '/agents/scout/skills',
    ready: ({ page }) => expect(page.getByText('broken link', { exact: true }).first()).toBeVisible(),
  },
  {
    name: 'a skill in its sheet',
    ready: async (scene) => {
      await opens('git-summary', 'git-summary')(scene);
      await expect(scene.page.getByText('Body.')).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'actions on several agents',
    path: '/agents/scout/skills',
    ready: async ({ page }) => {
      await page.getByRole('listbox', { name: 'Agents' }).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Link…' }).click();
      await onTop(page, 'Link to 1 agent');
    },
    part: ON_TOP,
    after: async ({ page }) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Clear selection' }).click();
    },
  },
  {
    name: 'duplicate agent',
    path: '/agents/scout/skills',
    ready: async ({ page }) => {
      await choose(page, 'scout', 'Duplicate…');
      await onTop(page, 'Duplicate scout');
    },
    part: ON_TOP,
  },
  {
    name: 'copy by hand',
    ready: async (scene) => {
      await scene.page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
        document.execCommand = () => false;
      });
      await opens('Copy path', 'Copy the text yourself')(scene);
    },
    part: ON_TOP,
  },
  {
    name: 'budget',
    ready: async ({ page }) => {
      await choose(page, 'scout', 'Budget…');
      await onTop(page, 'Budget of scout');
      // Until the limits are known, they can't be saved.
      await expect(page.getByRole('button', { name: 'Save budget' })).toBeEnabled();
    },
    part: ON_TOP,
  },
  {
    name: 'delete agent',
    ready: async ({ page }) => {
      await choose(page, 'scout', 'Delete…');
      await onTop(page, 'Delete scout?');
    },
    part: ON_TOP,
  },
  { name: 'unlink elsewhere', ready: opens('Unlink far', 'Unlink far?'), part: ON_TOP },
  {
    name: 'extensions',
    path: '/agents/scout/extensions',
    ready: ({ page }) => expect(page.getByRole('list', { name: 'Extensions of this agent' })).toBeVisible(),
    part: 'main',
  },
  {
    name: 'everything in the directory',
    path: '/agents/scout/entries',
    ready: ({ page }) => expect(page.getByText('Points outside the root')).toBeVisible(),
    part: 'main',
  },
  {
    name: 'prompt',
    path: '/agents/scout/prompt',
    ready: ({ page }) => expect(page.getByRole('img', { name: /^Tokens by section/ })).toBeVisible(),
    part: 'main',
  },
  {
    name: 'sessions, none',
    path: '/agents/scout/sessions',
    ready: ({ page }) => expect(page.getByText('No sessions yet')).toBeVisible(),
    part: 'main',
  },
  {
    name: 'activity, none',
    path: '/agents/scout/activity',
    ready: ({ page }) => expect(page.getByText('Nothing earned or spent yet')).toBeVisible(),
    part: 'main',
  },
  {
    name: 'sessions',
    path: '/agents/user-one/sessions',
    ready: ({ page }) =>
      expect(page.getByRole('list', { name: 'Sessions of user-one' })).toContainText('Parcels'),
    part: 'main',
  },
  {
    name: 'a transcript',
    ready: async ({ page }) => {
      await page.getByRole('link', { name: 'Parcels' }).click();
      await expect(page.getByRole('list', { name: 'Transcript' }).locator('strong')).toHaveText('three');
    },
    part: 'main',
  },
  {
    name: 'activity',
    path: '/agents/user-one/activity',
    ready: async ({ page, served }) => {
      await page.request.post(`${served.url}/api/wallet/receive`, {
        data: { token: simulatedToken(21), agent: 'user-one' },
      });
      await expect(page.getByRole('img', { name: /^Sats per day over 30 days: earned 21/ })).toBeVisible();
      await expect(page.getByRole('row', { name: /unheard-of/ })).toBeVisible();
    },
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
    // The first look at the settings, so that the page has not read them yet.
    name: 'settings in the desktop, and damaged',
    ready: async ({ page }) => {
      await page.route('**/api/settings', async (route) => {
        const json = await (await route.fetch()).json();
        const damagedFile = `/a/${LONG}/settings.damaged-2026-01-01T00-00-00.json`;
        await route.fulfill({ json: { ...json, damagedFile, lastError: `The port is taken by ${LONG}.` } });
      });
      await page.evaluate(() => {
        const notifications = { payments: true, attention: false, mint: true, budgets: true, updates: true };
        const preferences = { closeToTray: false, startAtLogin: true, checkForUpdates: true, notifications };
        const bridge = {
          readPreferences: async () => preferences,
          readLimits: async () => ({ hasNoTray: true, hasNoLinks: true, hasNoNotifications: true }),
          chooseFolder: async () => null,
        };
        Object.assign(window, { dotMiDesktop: { ...bridge, openLogs: async () => {} } });
        history.pushState(null, '', '/settings/desktop');
      });
      await expect(page.getByRole('heading', { name: 'Desktop' })).toBeVisible();
      await expect(page.getByText('dot-mi couldn’t read the settings')).toBeVisible();
      await expect(page.getByText('Your desktop has no tray')).toBeVisible();
    },
    after: async ({ page }) => {
      await page.unroute('**/api/settings');
      await page.evaluate(() => Reflect.deleteProperty(window, 'dotMiDesktop'));
    },
  },
  {
    name: 'checks',
    path: '/agents/scout/checks',
    ready: async ({ page, served }) => {
      await writeFile(served.agent('scout/pi-args'), '--model local/qwen\n');
      await page
        .getByRole('button', { name: /^Why\? / })
        .first()
        .click();
      await expect(page.getByRole('button', { name: /^Apply \d+ safe/ })).toBeVisible();
    },
  },
  {
    name: 'catalog',
    path: '/catalog/skills/git-summary',
    ready: ({ page }) => expect(page.getByRole('list', { name: /Agents that use/ }).first()).toBeVisible(),
  },
  { name: 'users of a skill', ready: opens(/^Show all/, /^Agents that use/), part: ON_TOP },
  {
    name: 'catalog, nothing found',
    ready: async ({ page }) => {
      await page.getByRole('combobox', { name: 'Search skills' }).fill('unbroken'.repeat(30));
      const nothing = page.getByText('Nothing matches');
      await expect(nothing).toBeVisible();
      // What hangs out of a list that scrolls is not seen by looking at the page alone.
      expect(await nothing.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    },
    part: 'main',
    after: ({ page }) => page.getByRole('combobox', { name: 'Search skills' }).fill(''),
  },
  {
    name: 'catalog, extensions',
    ready: async ({ page }) => {
      await page.getByRole('tab', { name: 'Extensions' }).click();
      await page.getByRole('option', { name: /say\.ts/ }).click();
      await expect(page.getByRole('list', { name: 'Agents that use say.ts' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'matrix, with a selection',
    path: '/matrix/skills',
    ready: async ({ page }) => {
      await page.getByRole('rowheader', { name: 'scout' }).click();
      await expect(page.getByRole('region', { name: 'Actions on the selection' })).toBeVisible();
    },
    part: 'main',
  },
  { name: 'apply a preset', ready: opens('Apply preset…', /^Apply a preset/), part: ON_TOP },
  { name: 'save as preset', ready: opens('Save as preset…', 'Save as preset'), part: ON_TOP },
  {
    name: 'presets, one renamed',
    ready: async (scene) => {
      await opens('Presets…', 'Presets')(scene);
      await scene.page.getByRole('button', { name: 'Rename web research' }).click();
    },
    part: ON_TOP,
  },
  { name: 'same as another agent', ready: opens('Make same as…', /^Make 1 agent/), part: ON_TOP },
  {
    name: 'no root',
    path: '/agents',
    ready: async ({ page, served }) => {
      await rename(served.root, `${served.root}-gone`);
      await expect(page.getByText('dot-mi can’t read the root')).toBeVisible();
    },
    part: 'main',
    after: async ({ page, served }) => {
      await rename(`${served.root}-gone`, served.root);
      await page.getByRole('button', { name: 'Try again' }).click();
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  {
    name: 'trash',
    path: '/trash',
    ready: ({ page }) => expect(page.getByRole('list', { name: 'Deleted agents' })).toBeVisible(),
  },
  {
    name: 'remove for good',
    ready: opens(/Delete permanently: gone-agent/, /Delete gone-agent permanently/),
    part: ON_TOP,
  },
  { name: 'settings', path: '/settings', ready: heading('Settings') },
  {
    name: 'settings, a root that is not trusted',
    ready: async ({ page }) => {
      await page.getByRole('button', { name: 'Stop trusting' }).click();
      await expect(page.getByRole('button', { name: 'Review setup.sh…' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'trust in a root',
    ready: async (scene) => {
      await opens('Review setup.sh…', /^Do you trust/)(scene);
      await scene.page.getByRole('button', { name: 'Show setup.sh' }).click();
      await expect(scene.page.getByRole('region', { name: 'Text of setup.sh' })).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'settings with a wrong value, at a section',
    path: '/settings/pricing',
    ready: async ({ page }) => {
      await page.getByRole('textbox', { name: 'Price interval' }).fill('7');
      await expect(page.getByText('Enter 30 seconds or more.')).toBeVisible();
    },
    after: ({ page }) => page.getByRole('textbox', { name: 'Price interval' }).press('Escape'),
  },
  { name: 'no such page', path: '/nowhere', ready: heading('Page not found') },
];

/** The views of agents and of what is around every page, in the order in which they are walked through, from the first start on. */
export const ROOT_VIEWS: readonly View[] = [...FIRST_VIEWS, ...OVERLAYS, ...AGENT_VIEWS, ...OTHER_VIEWS];

/** The views of pricing and of the wallet; the page is open by then. */
export const MONEY_VIEWS: readonly View[] = [...PRICING_VIEWS, ...WALLET_VIEWS];

/** Brings one view after the other onto the page. What is on top is closed again, and the focus goes back from there. */
export async function* walk(views: readonly View[], scene: Scene): AsyncGenerator<View> {
  const { page } = scene;
  for (const view of views) {
    // Goes there as a link of the page does, without loading it all anew.
    if (view.path !== undefined) await page.evaluate((to) => history.pushState(null, '', to), view.path);
    await view.ready(scene);
    yield view;
    if (view.part === ON_TOP) {
      const onTop = page.locator(ON_TOP);
      // A dialog may be open over a sheet.
      for (let open = await onTop.count(); open > 0; open = await onTop.count()) {
        await page.keyboard.press('Escape');
        await expect.poll(() => onTop.count()).toBeLessThan(open);
      }
      await expect(page.locator('body'), `after ${view.name}`).not.toBeFocused();
    }
    await view.after?.(scene);
  }
}
