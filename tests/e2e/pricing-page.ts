import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { test as base, expect, type Served } from './fixtures.ts';
import { type How, pressOn } from './keyboard.ts';

/** A source of the BTC price on this machine. */
export interface Source {
  setting: string;
  /** The price it reports; null makes it answer 503. */
  price: number | null;
}

/** A test with a source of the BTC price, and a server that asks it. */
export const pricingTest = base.extend<{ source: Source }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
  source: async ({}, use) => {
    const source: Source = { setting: '', price: 64_000 };
    const server = createServer((_request, response) => {
      response.statusCode = source.price === null ? 503 : 200;
      response.end(JSON.stringify({ time: Math.floor(Date.now() / 1000), USD: source.price }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    source.setting = `mempool=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await use(source);
    server.closeAllConnections();
    server.close();
  },
  environment: async ({ source }, use) => use({ BTC_PRICE_SOURCES: source.setting }),
});

/** The parts of the prices' page. */
export const pricingPage = (page: Page) => {
  const models = page.getByRole('region', { name: 'Models' });
  const dialog = page.getByRole('dialog', { name: 'Import prices' });
  const row = (name: string) =>
    models.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  return {
    btc: page.getByRole('region', { name: 'BTC price' }),
    course: page.getByRole('region', { name: 'Price history' }),
    calculator: page.getByRole('region', { name: 'Calculator' }),
    models,
    row,
    /** The cells of a model, without its name. */
    cells: (name: string) => row(name).getByRole('cell').allTextContents(),
    /** The cell of a price, which is a button until it is opened. */
    price: (side: 'Input' | 'Output', name: string) =>
      row(name).getByRole('button', { name: `${side} price of ${name}` }),
    names: () => models.getByRole('rowheader').locator('bdi').allTextContents(),
    dialog,
    changes: dialog.getByRole('list', { name: 'Changes' }).getByRole('listitem'),
    notifications: page.getByRole('region', { name: 'Notifications' }),
  };
};

/** Where the models file of a server is. */
export const modelsFile = ({ root }: Served) => join(root, '..', 'data', 'model_pricing.json');

/** A price in USD per million tokens, as the file has it. */
export const price = (input: number, output: number) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
});

/** Writes the models file as another program does. */
export const writeModels = (served: Served, models: Record<string, unknown>, others: object = {}) =>
  writeFile(modelsFile(served), JSON.stringify({ ...others, models }));

/** Makes the server ask its source until it has a new price: one that is asked for while another is on its way shares that one's. */
export const refreshTo = async ({ url }: Served, source: Source, price: number): Promise<void> => {
  source.price = price;
  await expect
    .poll(async () => {
      await fetch(`${url}/api/pricing/refresh`, { method: 'POST' });
      return (await (await fetch(`${url}/api/pricing/btc`)).json()).btc_price_usd;
    })
    .toBe(price);
};

/** Presses Refresh until that has an effect, because the server asks its sources at most every 5 s. */
export const pressRefresh = (page: Page, expectEffect: () => Promise<void>): Promise<void> =>
  expect(async () => {
    await pricingPage(page).btc.getByRole('button', { name: 'Refresh' }).click();
    await expectEffect();
  }).toPass();

/** The models of the file. */
export const readModels = async (served: Served): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(modelsFile(served), 'utf8')).models;

/** Opens the prices as the operator does: at the printed address, then by the rail. */
export const openPricing = async (page: Page, { pageUrl }: Served, how: How = 'by mouse') => {
  await page.goto(pageUrl);
  await pressOn(page, page.getByRole('link', { name: 'Pricing' }), how);
  const parts = pricingPage(page);
  await expect(parts.models.getByText(/\d models?$/)).toBeVisible();
  return parts;
};

/** Opens the import and shows what a text would change. */
export const openImport = async (page: Page, text: string) => {
  const { dialog } = pricingPage(page);
  await page.getByRole('button', { name: 'Import prices…' }).click();
  await dialog.getByRole('radio', { name: 'Text or file' }).check();
  await dialog.getByRole('textbox', { name: 'Price list text' }).fill(text);
  await dialog.getByRole('button', { name: 'Show changes' }).click();
};
