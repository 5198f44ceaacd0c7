import { renameSync } from 'node:fs';
import type { Page } from 'playwright';
import { chooses, heading, offline, opens, presses, sees, type View } from './view.ts';
import { FILE_VIEWS } from './views-files.ts';
import { LONG_VIEWS } from './views-long.ts';
import { PRICING_VIEWS } from './views-pricing.ts';
import { WALLET_VIEWS } from './views-wallet.ts';

const AGENT_VIEWS: readonly View[] = [
  {
    name: 'overview',
    path: '/',
    ready: async (page) => {
      for (const [id, state] of [
        ['auditor', 'running'],
        ['writer', 'waiting'],
      ])
        await page.request.post(`http://127.0.0.1:${new URL(page.url()).port}/api/agents/${id}/status`, {
          data: { run: 'picture', state, model: 'anthropic/claude-sonnet-5-5' },
        });
      for (const text of ['Waiting for you', 'Ready'])
        await page.getByText(text, { exact: true }).first().waitFor({ state: 'attached' });
      // What the agents earned arrives last. A narrow window has no room for it.
      await page
        .getByRole('row', { name: /translator/ })
        .getByText(/^1\d,\d{3}$/)
        .first()
        .waitFor({ state: 'attached' });
    },
  },
  { name: 'overview-empty', path: '/', site: 'empty', ready: sees('No agents yet') },
  { name: 'api', path: '/connect', ready: sees('Choose a route') },
  {
    name: 'api-route',
    path: '/connect/routes/agents.list',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await sees('200 OK')(page);
    },
  },
  { name: 'api-write', path: '/connect/routes/files.write', ready: sees('Body (JSON)') },
  { name: 'api-operator', path: '/connect/routes/wallet.send', ready: opens('Send…') },
  { name: 'agents', path: '/agents', ready: sees('auditor') },
  { name: 'agents-empty', path: '/agents', site: 'empty', ready: sees('No agents') },
  { name: 'agents-offline', path: '/agents', ready: offline(sees('auditor')) },
  {
    name: 'nothing-read',
    path: '/agents',
    ready: async (page) => {
      await page.route('**/api/**', (route) => route.abort());
      await page.reload();
      await heading('The API is offline', 2)(page);
    },
  },
  {
    name: 'root-gone',
    path: '/agents',
    site: 'empty',
    ready: async (page, { roots }) => {
      renameSync(roots.empty, `${roots.empty}-gone`);
      await sees('dot-mi can’t read the root')(page);
    },
    after: ({ roots }) => renameSync(`${roots.empty}-gone`, roots.empty),
  },
  {
    name: 'agents-no-match',
    path: '/agents',
    ready: async (page) => {
      await page.getByLabel('Search agents').fill('nobody');
      await sees('Nothing matches')(page);
    },
  },
  { name: 'new-agent', path: '/agents', ready: opens('New agent') },
  { name: 'duplicate-agent', path: '/agents/auditor/skills', ready: chooses('Duplicate…') },
  { name: 'delete-agent', path: '/agents/auditor/skills', ready: chooses('Delete…') },
  { name: 'trash', path: '/trash', ready: sees('scratch-2') },
  { name: 'trash-empty', path: '/trash', site: 'empty', ready: sees('The trash is empty') },
  { name: 'remove-for-good', path: '/trash', ready: opens('Delete permanently: weather') },
];

const LINK_VIEWS: readonly View[] = [
  { name: 'extensions', path: '/agents/auditor/extensions', ready: sees('run-finish-notify.ts') },
  { name: 'links', path: '/agents/auditor/skills', ready: sees('sat per call') },
  { name: 'matrix', path: '/matrix/skills', ready: sees('Only in the agent') },
  { name: 'entries', path: '/agents/auditor/entries', ready: sees('Everything else') },
  { name: 'checks', path: '/agents/auditor/checks', ready: sees('Why?') },
  { name: 'checks-none', path: '/agents/estimator/checks', ready: sees('No problems found') },
  { name: 'prompt', path: '/agents/auditor/prompt', ready: sees('Working directory') },
  { name: 'sessions', path: '/agents/auditor/sessions', ready: sees('Look for races') },
  {
    name: 'transcript',
    path: '/agents/auditor/sessions',
    ready: async (page) => {
      await page.getByRole('link', { name: /^Review the retry/ }).click();
      await page.getByRole('list', { name: 'Transcript' }).waitFor();
    },
  },
  { name: 'activity', path: '/agents/auditor/activity', ready: sees('cloud/claude-haiku-5-5') },
  { name: 'budget', path: '/agents/auditor/skills', ready: chooses('Budget…') },
  { name: 'cost', path: '/agents/publisher/prompt', ready: opens(/sat per call$/) },
  {
    name: 'links-no-match',
    path: '/agents/auditor/skills',
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Search shared skills' }).fill('zebra');
      await sees('Nothing matches')(page);
    },
  },
  { name: 'links-none', path: '/agents/support/skills', ready: sees('No skills yet') },
  { name: 'catalog', path: '/catalog', ready: sees('Used by') },
  {
    name: 'catalog-extensions',
    path: '/catalog',
    ready: async (page) => {
      await page.getByRole('tab', { name: 'Extensions' }).click();
      await sees('ask-first')(page);
    },
  },
  {
    name: 'used-by',
    path: '/catalog',
    ready: async (page) => {
      await page.getByRole('tab', { name: 'Extensions' }).click();
      await page.getByRole('option', { name: /run-finish-notify\.ts/ }).click();
      await opens(/^Show all/)(page);
    },
  },
  { name: 'catalog-empty', path: '/catalog', site: 'empty', ready: sees('No shared skills yet') },
];

/** Fakes the desktop bridge, as far as the settings need it. */
const inDesktop = async (page: Page): Promise<void> => {
  await page.evaluate(() => {
    const preferences = { closeToTray: true, startAtLogin: false, checkForUpdates: true };
    const bridge = { readPreferences: async () => preferences, chooseFolder: async () => null };
    Object.assign(window, { dotMiDesktop: { ...bridge, openLogs: async () => {} } });
    history.pushState(null, '', '/settings/desktop');
  });
  await heading('Desktop', 2)(page);
};

const SETTINGS_VIEWS: readonly View[] = [
  { name: 'settings', path: '/settings', ready: heading('Settings') },
  { name: 'settings-appearance', path: '/settings/appearance', ready: heading('Appearance', 2) },
  { name: 'settings-keys', path: '/settings/keys', ready: heading('Keys', 2) },
  { name: 'settings-create-key', path: '/settings/keys', ready: opens('Create key…') },
  { name: 'settings-about', path: '/settings/about', ready: heading('About', 2) },
  {
    name: 'settings-desktop',
    path: '/agents',
    site: 'long',
    ready: inDesktop,
  },
  {
    name: 'settings-wrong',
    path: '/settings/pricing',
    site: 'long',
    ready: async (page) => {
      const field = page.getByRole('textbox', { name: 'Price interval' });
      await field.fill('often');
      await field.press('Enter');
      await page.getByRole('alert').or(page.locator('[data-invalid]')).first().waitFor();
    },
  },
  {
    name: 'dev-mode-question',
    path: '/settings/wallet',
    site: 'long',
    ready: async (page) => {
      await page.getByRole('switch', { name: 'Test money' }).click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
];

/** Withdraws trust in the root, also for all later views of the site. */
const distrust = async (page: Page): Promise<void> => {
  const review = page.getByRole('button', { name: 'Review setup.sh…' });
  const stop = page.getByRole('button', { name: 'Stop trusting' });
  await review.or(stop).waitFor();
  if (await stop.isVisible()) await stop.click();
  await review.waitFor();
};

/** An untrusted root. These views are the last of their site because they leave its root untrusted. */
const TRUST_VIEWS: readonly View[] = [
  { name: 'settings-untrusted', path: '/settings', ready: distrust },
  {
    name: 'trust-question',
    path: '/settings',
    ready: async (page) => {
      await distrust(page);
      await opens('Review setup.sh…')(page);
      await page.getByRole('button', { name: 'Show setup.sh' }).click();
    },
  },
  {
    name: 'trust-and-create',
    path: '/settings',
    ready: async (page) => {
      await distrust(page);
      await page.getByRole('link', { name: 'Agents' }).click();
      await opens('New agent')(page);
      await page.getByLabel('Agent id').fill('newcomer');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Trust and create' }).waitFor();
    },
  },
];

const SHELL_VIEWS: readonly View[] = [
  { name: 'search', path: '/agents/auditor/skills', ready: presses('Control+k', 'Search') },
  {
    name: 'search-matches',
    path: '/agents',
    ready: async (page) => {
      await presses('Control+k', 'Search')(page);
      await page.keyboard.type('audit');
      await page.getByRole('group', { name: 'In prompts: audit' }).waitFor();
    },
  },
  { name: 'shortcuts', path: '/agents', ready: presses('Control+/', 'Keyboard shortcuts') },
  { name: 'api', path: '/agents', ready: opens(/^API:/) },
  {
    name: 'first-run',
    path: '/agents',
    site: 'new',
    ready: (page) => page.getByRole('heading', { level: 1 }).waitFor(),
  },
  { name: 'no-such-page', path: '/nowhere', ready: heading('Page not found') },
];

/** All views. */
export const VIEWS: readonly View[] = [
  ...AGENT_VIEWS,
  ...FILE_VIEWS,
  ...LINK_VIEWS,
  ...WALLET_VIEWS,
  ...PRICING_VIEWS,
  ...SETTINGS_VIEWS,
  ...SHELL_VIEWS,
  ...LONG_VIEWS,
  ...TRUST_VIEWS,
];
