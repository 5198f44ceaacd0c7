import { expect } from './fixtures.ts';
import { heading, LONG, LONG_ID, ON_TOP, onTop, opens, type Scene, sees, type View } from './view.ts';

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
    },
  },
  {
    name: 'agents, nothing found',
    ready: async (scene) => {
      await scene.page.getByLabel('Search agents').fill('nobody');
      await sees('Nothing matches')(scene);
    },
    isOnlyPictured: true,
    after: ({ page }) => page.getByLabel('Search agents').fill(''),
  },
];

/** Presses the keys that open something on top. */
const presses =
  (keys: string, name: string) =>
  async ({ page }: Scene): Promise<void> => {
    await page.keyboard.press(keys);
    await onTop(page, name);
  };

const AROUND_VIEWS: readonly View[] = [
  {
    name: 'overview',
    path: '/',
    ready: ({ page }) => expect(page.getByRole('region', { name: 'Needs attention' })).toContainText('scout'),
  },
  { name: 'API', path: '/connect', ready: heading('API') },
  {
    name: 'a request that asks first',
    path: '/connect/routes/files.write',
    ready: opens('Send…'),
    part: ON_TOP,
  },
  {
    name: 'a route of the API, with an answer',
    ready: async ({ page }) => {
      await page.getByText(/^\d headers$/).click();
      await page.getByRole('button', { name: 'Send…' }).click();
      await page.getByRole('button', { name: 'Send PUT' }).click();
      await expect(page.getByRole('region', { name: 'Response', exact: true })).toContainText('200 OK');
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
    name: 'search, with long names',
    ready: async (scene) => {
      await presses('ControlOrMeta+k', 'Search')(scene);
      await scene.page.keyboard.type(LONG.slice(0, 12));
      await expect(scene.page.getByRole('option', { name: LONG_ID }).first()).toBeVisible();
    },
    part: ON_TOP,
    isOnlyPictured: true,
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
  {
    name: 'new agent, an id that is too long',
    ready: async (scene) => {
      await opens('New agent', 'New agent')(scene);
      const id = scene.page.getByRole('textbox', { name: 'Agent id' });
      await id.fill(`${LONG_ID}x`);
      await id.press('Enter');
      await expect(id).toHaveAttribute('aria-invalid', 'true');
    },
    part: ON_TOP,
    isOnlyPictured: true,
  },
];

/** The views from the first start on, and what is around every page. A server that has no root shows them. */
export const START_VIEWS: readonly View[] = [...FIRST_VIEWS, ...AROUND_VIEWS];
