import type { Page } from 'playwright';
import { offline, opens, sees, type View } from './view.ts';

const path = '/pricing';

const chart = (page: Page) => page.locator('canvas').first().waitFor();

const HOUR_MS = 60 * 60 * 1000;

const price = (input: number, output: number) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
});

/** A price list that differs from the models file. */
const LIST = JSON.stringify({
  models: {
    'claude-opus-5-5': price(4, 22.5),
    'claude-sonnet-5-5': price(2.75, 13.75),
    'claude-haiku-4-5': price(0.8, 4.125),
    'qwen3-coder-480b': price(0.22, 0.95),
    'a-model-whose-name-is-rather-long-2026-11-21-preview': price(1_000_000_000, 0.000000001),
  },
});

/** Prices, and what the operator can do with them. */
export const PRICING_VIEWS: readonly View[] = [
  { name: 'pricing', path, ready: chart },
  {
    name: 'pricing-per-token',
    path,
    ready: async (page) => {
      await chart(page);
      // A wide window shows both units and has no such choice.
      const choice = page.getByRole('button', { name: 'Per token', exact: true });
      if (await choice.isVisible()) await choice.click();
      await page.getByRole('region', { name: 'Models' }).getByRole('row').nth(3).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'pricing-stale',
    path,
    ready: async (page) => {
      await page.route('**/api/pricing/btc', (route) =>
        route.fulfill({
          json: {
            btc_price_usd: 96_412,
            updated_at: new Date(Date.now() - 9 * HOUR_MS).toISOString(),
            source: 'mempool',
            stale: true,
          },
        }),
      );
      await page.reload();
      await sees('No source has responded recently')(page);
      await chart(page);
    },
  },
  {
    name: 'pricing-wrong-cell',
    path,
    ready: async (page) => {
      await page
        .getByRole('button', { name: /^Input price of/ })
        .first()
        .click();
      await page.keyboard.type('a lot');
      await page.keyboard.press('Enter');
      await page.getByText(/Enter a price/).waitFor();
    },
  },
  {
    name: 'pricing-calculated',
    path,
    ready: async (page) => {
      const calculator = page.getByRole('region', { name: 'Calculator' });
      await calculator.getByRole('combobox', { name: 'Model' }).fill('claude-opus-5-5');
      await calculator.getByRole('textbox', { name: 'Input tokens' }).fill('1200000');
      await calculator.getByRole('textbox', { name: 'Output tokens' }).fill('many');
    },
  },
  { name: 'add-model', path, ready: opens('Add model…') },
  {
    name: 'add-model-wrong',
    path,
    ready: async (page) => {
      await opens('Add model…')(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Enter a name.').waitFor();
    },
  },
  { name: 'import-prices', path, ready: opens(/Import/) },
  {
    name: 'import-changes',
    path,
    ready: async (page) => {
      await opens(/Import/)(page);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: 'Text or file' }).click();
      await dialog.getByRole('textbox', { name: 'Price list text' }).fill(LIST);
      await dialog.getByRole('button', { name: 'Show changes' }).click();
      await dialog.getByRole('checkbox', { name: /^Show .* new/ }).click();
    },
  },
  { name: 'pricing-offline', path, ready: offline(chart) },
  { name: 'pricing-empty', path, site: 'empty', ready: sees('Models') },
];
