import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { editor } from './editor.ts';
import { expect } from './fixtures.ts';
import { type Scene, sees, type View } from './view.ts';

const OFFLINE = 'Offline: the API isn’t responding';

const readNothing = ({ page }: Scene): Promise<unknown> => page.route('**/api/**', (route) => route.abort());

/** A root with nothing in it, and then a page that the API no longer reaches. */
export const EMPTY_VIEWS: readonly View[] = [
  {
    name: 'overview, empty',
    path: '/',
    ready: async (scene) => {
      for (const path of ['agents/scout', 'shared/skills/git-summary', 'shared/extensions/say.ts'])
        await rm(join(scene.served.root, path), { recursive: true });
      await sees('No agents yet')(scene);
    },
  },
  { name: 'agents, empty', path: '/agents', ready: sees('No agents yet') },
  { name: 'catalog, empty', path: '/catalog', ready: sees('No shared skills yet') },
  { name: 'trash, empty', path: '/trash', ready: sees('The trash is empty') },
  { name: 'pricing, without a BTC price', path: '/pricing', ready: sees('No BTC price yet') },
  {
    name: 'agents, offline',
    path: '/agents',
    ready: async (scene) => {
      const { page, served } = scene;
      await plant(served.root, { 'agents/scout/SYSTEM.md': SMALL_ROOT['agents/scout/SYSTEM.md'] ?? '' });
      await page.route('**/api/events', (route) => route.abort());
      await page.reload();
      await sees(OFFLINE)(scene);
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  { name: 'pricing, offline', path: '/pricing', ready: sees('No BTC price yet'), isOnlyPictured: true },
  {
    name: 'typed text, offline and not saved',
    path: '/agents/scout/files/SYSTEM.md',
    ready: async (scene) => {
      const { page } = scene;
      await editor(page).fill('typed');
      await readNothing(scene);
      await page.keyboard.press('ControlOrMeta+s');
      await sees('Not saved')(scene);
    },
  },
  {
    name: 'wallet, offline',
    path: '/wallet',
    ready: ({ page }) => expect(page.getByRole('alert').first()).toBeVisible(),
  },
  {
    name: 'offline, with nothing read',
    path: '/agents',
    ready: async ({ page }) => {
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The API is offline', level: 1 })).toBeVisible();
    },
    after: ({ page }) => page.unrouteAll(),
  },
  {
    name: 'wallet, signed out',
    ready: async (scene) => {
      await scene.page.goto(`${scene.served.steadyOrigin}/wallet`);
      await sees('Sign in to send sats and see the history')(scene);
    },
  },
];
