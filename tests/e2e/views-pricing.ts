import { expect } from './fixtures.ts';
import { pricingPage as at, openImport, pressRefresh, price, writeModels } from './pricing-page.ts';
import { ON_TOP, onTop, opens, sees, type View } from './view.ts';

/** The prices: with their chart, while they are edited, and what comes in between. */
export const PRICING_VIEWS: readonly View[] = [
  {
    name: 'pricing',
    path: '/pricing',
    ready: async ({ page, served, source }) => {
      await writeModels(served, { a: price(1, 2), ['long-name-'.repeat(20)]: price(1_000_000_000, 1e-9) });
      await expect(at(page).price('Input', 'a')).toHaveText('$1.00');
      source.price = 65_600;
      await pressRefresh(page, () => expect(at(page).btc).toContainText('$65,600', { timeout: 1_000 }));
      await expect(at(page).course.locator('canvas')).toBeVisible();
      await at(page).calculator.getByRole('combobox', { name: 'Model' }).fill('a');
      await at(page).calculator.getByRole('textbox', { name: 'Input tokens' }).fill('200k');
      await at(page).calculator.getByRole('textbox', { name: 'Output tokens' }).fill('many');
      await expect(at(page).calculator).toContainText('Enter a whole number of tokens.');
    },
  },
  {
    name: 'pricing, the largest cost',
    ready: async ({ page }) => {
      const { calculator } = at(page);
      await calculator.getByRole('combobox', { name: 'Model' }).fill('long-name-'.repeat(20));
      for (const name of ['Input tokens', 'Output tokens'])
        await calculator.getByRole('textbox', { name }).fill('9000000000000000');
      await calculator.scrollIntoViewIfNeeded();
    },
    isOnlyPictured: true,
  },
  {
    name: 'pricing, per token',
    ready: ({ page }) => page.getByRole('button', { name: 'Per token', exact: true }).click(),
    isOnlyPictured: true,
    after: ({ page }) => page.getByRole('button', { name: 'Per million', exact: true }).click(),
  },
  {
    name: 'pricing, a stale BTC price',
    ready: async (scene) => {
      const { page } = scene;
      await page.route('**/api/pricing/btc', async (route) => {
        const json: object = await (await route.fetch()).json();
        await route.fulfill({ json: { ...json, stale: true } });
      });
      await page.reload();
      await sees('No source has responded recently')(scene);
    },
    isOnlyPictured: true,
    after: async ({ page }) => {
      await page.unrouteAll();
      await page.reload();
    },
  },
  {
    name: 'no new price',
    ready: async ({ page, source }) => {
      source.price = null;
      await pressRefresh(page, () =>
        expect(at(page).btc.getByRole('alert')).toContainText('No new price', { timeout: 1_000 }),
      );
    },
    part: 'main',
  },
  {
    name: 'price that is none',
    ready: async ({ page }) => {
      // By a key: in a small window a toast may still lie over it, for some seconds.
      await at(page).price('Input', 'a').press('Enter');
      await page.keyboard.type('a lot');
      await page.keyboard.press('Enter');
      await expect(at(page).models.getByRole('alert')).toHaveText(/Enter a price/);
    },
    part: 'main',
  },
  {
    name: 'add a model',
    ready: async (scene) => {
      await at(scene.page)
        .models.getByRole('textbox', { name: /^Input price/ })
        .press('Escape');
      await opens('Add model…', 'Add a model')(scene);
      // By a key, for the same reason.
      await scene.page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).press('Enter');
      await expect(scene.page.getByText('Enter a name.')).toBeVisible();
    },
    part: ON_TOP,
  },
  {
    name: 'edit a model',
    ready: async (scene) => {
      // Its buttons come with the pointer.
      await at(scene.page).row('a').hover();
      await opens('Edit a', 'Edit a model')(scene);
    },
    part: ON_TOP,
  },
  { name: 'import prices', ready: opens(/^Import/, 'Import prices'), part: ON_TOP },
  {
    name: 'changes of prices',
    ready: async ({ page }) => {
      await openImport(page, JSON.stringify({ models: { a: price(4, 4), new1: price(7, 7) } }));
      await at(page).dialog.getByRole('checkbox', { name: 'Show 1 new model' }).check();
      await expect(at(page).changes).toHaveCount(2);
    },
    part: ON_TOP,
  },
  {
    name: 'conflict of prices',
    ready: async ({ page, served }) => {
      await at(page).price('Input', 'a').click();
      await writeModels(served, { a: price(1, 20), theirs: price(9, 9) });
      await page.keyboard.type('10');
      await page.keyboard.press('Enter');
      await expect(at(page).models.getByRole('alert')).toContainText('Another program changed');
    },
    part: 'main',
  },
  {
    name: 'models file with a problem',
    ready: async ({ page, served }) => {
      await writeModels(served, { a: price(1, 2), bad: price(-1, 2) });
      await expect(at(page).models.getByRole('alert').filter({ hasText: '"bad" is ignored' })).toBeVisible();
    },
    part: 'main',
  },
  {
    name: 'loss of what could not be read',
    ready: async ({ page }) => {
      await at(page).price('Output', 'a').click();
      await page.keyboard.type('5');
      await page.keyboard.press('Enter');
      await onTop(page, /unreadable entries/);
    },
    part: ON_TOP,
  },
  {
    name: 'edits told of in another view',
    path: '/trash',
    ready: ({ page }) =>
      expect(at(page).notifications.getByRole('button', { name: 'Show in Pricing' })).toBeVisible(),
    // Other views are looked at without them.
    after: async ({ page }) => {
      await at(page).notifications.getByRole('button', { name: 'Show in Pricing' }).click();
      await at(page).models.getByRole('button', { name: 'Discard' }).click();
    },
  },
];
