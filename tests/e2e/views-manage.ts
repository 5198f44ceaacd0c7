import { rename, writeFile } from 'node:fs/promises';
import { expect } from './fixtures.ts';
import { heading, LONG, ON_TOP, opens, type Scene, sees, type View } from './view.ts';

/** The views of checks, catalog, matrix, trash and settings. */
export const MANAGE_VIEWS: readonly View[] = [
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
        const notifications = {
          payments: true,
          attention: false,
          mint: true,
          budgets: true,
          sales: true,
          updates: true,
        };
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
    name: 'checks, none',
    path: '/agents/tidy/checks',
    ready: sees('No problems found'),
    isOnlyPictured: true,
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
  { name: 'copy links from an agent', ready: opens('Copy links from…', /^Copy another agent/), part: ON_TOP },
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
      // The page may notice by itself, and then has no button to try again.
      await page.reload();
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  {
    name: 'trash',
    path: '/trash',
    ready: async ({ page, served }) => {
      await page.request.post(`${served.url}/api/agents`, { data: { name: 'gone-agent' } });
      await page.request.delete(`${served.url}/api/agents/gone-agent`, { data: { confirm: 'gone-agent' } });
      await expect(page.getByRole('list', { name: 'Deleted agents' })).toContainText('gone-agent');
    },
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
    name: 'trust in a root, for a new agent',
    path: '/agents',
    ready: async (scene) => {
      await opens('New agent', 'New agent')(scene);
      await scene.page.getByLabel('Agent id').fill('newcomer');
      await scene.page.keyboard.press('Enter');
      await expect(scene.page.getByRole('button', { name: 'Trust and create' })).toBeVisible();
    },
    part: ON_TOP,
  },
  ...['Appearance', 'Server', 'About', 'Keys'].map((section) => ({
    name: `settings, ${section}`,
    path: `/settings/${section.toLowerCase()}`,
    ready: ({ page }: Scene) => expect(page.getByRole('heading', { name: section, level: 2 })).toBeVisible(),
    part: 'main',
  })),
  { name: 'create a key', ready: opens('Create key…', 'Create a key'), part: ON_TOP },
  {
    name: 'settings with a wrong value, at a section',
    path: '/settings/pricing',
    ready: async ({ page }) => {
      await page.getByRole('textbox', { name: 'Price interval' }).fill('7');
      await expect(page.getByText('Price interval must be a whole number from 30 to 86,400.')).toBeVisible();
    },
    after: ({ page }) => page.getByRole('textbox', { name: 'Price interval' }).press('Escape'),
  },
  { name: 'no such page', path: '/nowhere', ready: heading('Page not found') },
];
