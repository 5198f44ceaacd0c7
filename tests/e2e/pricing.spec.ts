import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { test as base, expect, type Served } from './fixtures.ts';

/** A source of the BTC price on this machine. */
interface Source {
  setting: string;
  /** The price it tells; null makes it answer 503. */
  price: number | null;
}

const test = base.extend<{ source: Source }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
  source: async ({}, use) => {
    const source: Source = { setting: '', price: 64_000 };
    const server = createServer((_request, response) => {
      response.statusCode = source.price === null ? 503 : 200;
      response.end(JSON.stringify({ time: 1_772_366_400, USD: source.price }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    source.setting = `mempool=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await use(source);
    server.closeAllConnections();
    server.close();
  },
  environment: async ({ source }, use) => use({ BTC_PRICE_SOURCES: source.setting }),
});

const btc = (page: Page) => page.getByRole('region', { name: 'BTC price' });
const course = (page: Page) => page.getByRole('region', { name: 'Price history' });
const models = (page: Page) => page.getByRole('region', { name: 'Models' });
const row = (page: Page, name: string) =>
  models(page)
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Import prices' });
const changes = (page: Page) => dialog(page).getByRole('list', { name: 'Changes' }).getByRole('listitem');

const modelsFile = ({ root }: Served) => join(root, '..', 'data', 'model_pricing.json');
const price = (input: number, output: number) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
});
const writeModels = (served: Served, models: Record<string, unknown>) =>
  writeFile(modelsFile(served), JSON.stringify({ models }));
const readModels = async (served: Served): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(modelsFile(served), 'utf8')).models;

/** Opens the prices as the operator does: at the printed address, then by the rail. */
const openPricing = async (page: Page, { pageUrl }: Served) => {
  await page.goto(pageUrl);
  await page.getByRole('link', { name: 'Pricing' }).click();
  await expect(models(page).getByText(/\d models?$/)).toBeVisible();
};

/** What happens when one comes back to the window. */
const comeBack = (page: Page) =>
  page.evaluate(() => window.dispatchEvent(new Event('visibilitychange', { bubbles: true })));

/** The cells of a model, without its name. */
const cells = (page: Page, name: string) => row(page, name).getByRole('cell').allTextContents();

const openImport = async (page: Page, text: string) => {
  await page.getByRole('button', { name: 'Import prices…' }).click();
  await dialog(page).getByRole('radio', { name: 'Text or file' }).check();
  await dialog(page).getByRole('textbox', { name: 'Text of a price list' }).fill(text);
  await dialog(page).getByRole('button', { name: 'Show changes' }).click();
};

test('shows the BTC price with its source and age, and what each model costs', async ({ page, served }) => {
  await writeModels(served, { 'gpt-5.4': price(2.5, 15), tiny: price(0.0001, 0), 'gpt-5.10': price(0, 1) });
  await openPricing(page, served);
  await expect(btc(page)).toContainText('$64,000');
  await expect(btc(page)).toContainText('from mempool, fetched just now');
  await expect(btc(page).getByText('stale')).toHaveCount(0);
  await expect(models(page)).toContainText('3 models');
  expect(await cells(page, 'gpt-5.4')).toEqual(['$2.50', '$15.00', '0.003906', '0.02344', '3,906', '23,438']);
  expect(await cells(page, 'tiny')).toEqual(['$0.0001', '$0.00', '0.0000001563', '0', '0.1563', '0']);

  await models(page).getByLabel('Search models').fill('5.1');
  await expect(models(page).getByRole('rowheader')).toHaveCount(1);
  await expect(models(page)).toContainText('1 match');
});

test('agrees with the API on sats for a token', async ({ page, served, source }) => {
  source.price = 71_234.56;
  await writeModels(served, { m: price(3.75, 11.1) });
  await fetch(`${served.url}/api/pricing/refresh`, { method: 'POST' });
  await openPricing(page, served);
  const told = (await (await fetch(`${served.url}/api/pricing/tokens?model=m`)).json()) as {
    input_sats_per_token: number;
    output_sats_per_token: number;
  };
  for (const sats of [told.input_sats_per_token, told.output_sats_per_token]) {
    await expect(row(page, 'm').getByTitle(String(sats))).toBeVisible();
  }
});

test('asks for a new price, and says what the sources said when there is none', async ({
  page,
  served,
  source,
}) => {
  await openPricing(page, served);
  await expect(btc(page)).toContainText('$64,000');
  source.price = 65_000;
  await btc(page).getByRole('button', { name: 'Refresh' }).click();
  await expect(btc(page)).toContainText('$65,000');
  await expect(page.getByText('$65,000, from mempool')).toBeVisible();
  source.price = null;
  await btc(page).getByRole('button', { name: 'Refresh' }).click();
  await expect(btc(page).getByRole('alert')).toContainText('No new price');
  await expect(btc(page).getByRole('alert')).toContainText('mempool');
  await expect(btc(page).getByRole('alert')).toContainText('HTTP 503');
  await expect(btc(page)).toContainText('$65,000');
  source.price = 66_000;
  await btc(page).getByRole('button', { name: 'Refresh' }).click();
  await expect(btc(page)).toContainText('$66,000');
  await expect(btc(page).getByRole('alert')).toHaveCount(0);
});

test('draws the line with the second price, tells it in words, and follows what others ask for', async ({
  page,
  served,
  source,
}) => {
  await openPricing(page, served);
  await expect(btc(page)).toContainText('$64,000');
  await expect(course(page)).toContainText('No history yet');
  await expect(page.getByText('Connected')).toBeAttached();
  source.price = 65_600;
  await fetch(`${served.url}/api/pricing/refresh`, { method: 'POST' });
  await expect(btc(page)).toContainText('$65,600', { timeout: 1000 });
  const chart = course(page).getByRole('img', {
    name: 'Line chart of the BTC price over the last day: lowest $64,000, highest $65,600, change +$1,600 (+2.5%)',
  });
  await expect(chart.locator('canvas')).toBeVisible();
  await expect(course(page).locator('dl')).toContainText('+$1,600 (+2.5%)');
  await course(page).getByRole('button', { name: 'Week' }).click();
  await expect(course(page).getByRole('img', { name: /over the last week/ })).toBeVisible();
  await expect(course(page).getByRole('button', { name: 'Week' })).toHaveAttribute('aria-pressed', 'true');

  // It is drawn anew in the colours of the other theme, and in the width of another window.
  const drawn = () =>
    course(page)
      .locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await drawn();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(drawn).not.toBe(light);
  await page.setViewportSize({ width: 800, height: 600 });
  const fits = () =>
    course(page)
      .getByRole('img')
      .evaluate((host) => host.querySelector('canvas')?.clientWidth === host.clientWidth);
  await expect.poll(fits).toBe(true);
});

test.describe('with a price that is asked for every second', () => {
  test.use({
    environment: async ({ source }, use) =>
      use({ BTC_PRICE_SOURCES: source.setting, BTC_PRICE_REFRESH_INTERVAL: '1' }),
  });

  test('marks a price that grew old', async ({ page, served, source }) => {
    await openPricing(page, served);
    await expect(btc(page)).toContainText('$64,000');
    source.price = null;
    await expect(async () => {
      await page.reload();
      await expect(btc(page).getByText('stale', { exact: true })).toBeVisible({ timeout: 500 });
    }).toPass();
    await expect(btc(page)).toContainText('No source has told a newer price for a while');
  });
});

test('shows models in USD alone while there has never been a BTC price', async ({ page, served, source }) => {
  source.price = null;
  await writeModels(served, { m: price(3, 4) });
  await rm(join(served.root, '..', 'data', 'btc_price_history.jsonl'), { force: true });
  await page.route('**/api/pricing/btc', (route) =>
    route.fulfill({
      status: 503,
      json: { error: 'There has not been a BTC price yet.', code: 'price_unavailable' },
    }),
  );
  await openPricing(page, served);
  await expect(btc(page)).toContainText('No BTC price yet');
  await expect(btc(page)).toContainText('BTC_PRICE_SOURCES');
  await expect(row(page, 'm')).toContainText('$3.00');
  await expect(row(page, 'm').getByText('no BTC price')).toHaveCount(4);
  await page.unroute('**/api/pricing/btc');
  source.price = 64_000;
  await btc(page).getByRole('button', { name: 'Refresh' }).click();
  await expect(btc(page)).toContainText('$64,000');
  await expect(row(page, 'm')).toContainText('0.004688');
});

test('follows an edit of the file on disk, and says what is wrong with it', async ({ page, served }) => {
  await writeModels(served, { first: price(1, 2) });
  await openPricing(page, served);
  await expect(row(page, 'first')).toContainText('$1.00');
  await writeModels(served, { first: price(9, 2), second: price(3, 4) });
  await comeBack(page);
  await expect(row(page, 'first')).toContainText('$9.00');
  await expect(row(page, 'second')).toBeVisible();

  await writeFile(
    modelsFile(served),
    `{"models":{\n"first":${JSON.stringify(price(8, 2))},\n"bad":${JSON.stringify(price(-1, 2))}}}`,
  );
  await comeBack(page);
  await expect(models(page).getByRole('alert')).toContainText('line 3: "bad" is left out');
  await expect(row(page, 'first')).toContainText('$8.00');

  await writeFile(modelsFile(served), '{"models":\n nonsense');
  // Nobody comes back to the window: it looks by itself.
  await expect(models(page).getByRole('alert')).toContainText('line 2', { timeout: 15_000 });
  await expect(row(page, 'first')).toContainText('$8.00');
});

test('says so when the models file could never be used, until it can be', async ({ page, served }) => {
  await page.route('**/api/pricing/models', (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({
          status: 500,
          json: { error: 'The models file is empty. Mend it.', code: 'pricing_config_invalid' },
        })
      : route.fallback(),
  );
  await page.goto(`${served.pageUrl}`);
  await page.getByRole('link', { name: 'Pricing' }).click();
  await expect(models(page).getByRole('heading', { name: 'The models file cannot be used' })).toBeVisible();
  await expect(models(page)).toContainText('The models file is empty. Mend it.');
  await page.unroute('**/api/pricing/models');
  await models(page).getByRole('button', { name: 'Try again' }).click();
  await expect(models(page).getByRole('table')).toBeVisible();
});

test('previews a price list and writes what was selected of it', async ({ page, served }) => {
  await writeModels(served, { ['__proto__']: price(1, 1), a: price(1, 2), b: price(3, 4), c: price(5, 6) });
  await openPricing(page, served);
  const before = await readModels(served);
  await openImport(
    page,
    JSON.stringify({
      models: { a: price(10, 2), b: price(30, 40), c: price(5, 6), new1: price(7, 7), new2: price(8, 8) },
    }),
  );
  await expect(dialog(page)).toContainText('1 model unchanged');
  await expect(changes(page)).toHaveCount(2);
  await expect(changes(page).first()).toContainText('$1.00');
  await expect(changes(page).first()).toContainText('$10.00');
  await expect(dialog(page).getByRole('button', { name: 'Write 2 prices' })).toBeEnabled();
  // What is out of sight again is not written.
  await dialog(page).getByRole('checkbox', { name: 'Show 2 new models' }).check();
  await dialog(page).getByRole('button', { name: 'Select all' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Write 4 prices' })).toBeEnabled();
  await dialog(page).getByRole('checkbox', { name: 'Show 2 new models' }).uncheck();
  await changes(page).filter({ hasText: '$30.00' }).getByRole('checkbox').uncheck();
  await dialog(page).getByRole('checkbox', { name: 'Show 2 new models' }).check();
  await expect(changes(page)).toHaveCount(4);
  await dialog(page).getByLabel('Search changes').fill('new2');
  await changes(page).getByRole('checkbox').check();
  expect(await readModels(served)).toEqual(before);

  await dialog(page).getByRole('button', { name: 'Write 2 prices' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByText('Wrote 2 prices')).toBeVisible();
  await expect(row(page, 'new2')).toContainText('$8.00');
  const written = await readModels(served);
  // __proto__ is a name like any other, and stays.
  expect(Object.entries(written)).toEqual([
    ['__proto__', price(1, 1)],
    ['a', price(10, 2)],
    ['b', price(3, 4)],
    ['c', price(5, 6)],
    ['new2', price(8, 8)],
  ]);
});

test('reads again when the file changed during the preview, and overwrites nothing', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) });
  await openPricing(page, served);
  await openImport(page, JSON.stringify({ models: { a: price(10, 20), b: price(30, 40) } }));
  await changes(page).filter({ hasText: '$30.00' }).getByRole('checkbox').uncheck();
  await writeModels(served, { a: price(1.5, 2), b: price(3, 4), theirs: price(9, 9) });
  await dialog(page).getByRole('button', { name: 'Write 1 price' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('The models file was changed meanwhile');
  await expect(changes(page).first()).toContainText('$1.50');
  await expect(changes(page).filter({ hasText: '$30.00' }).getByRole('checkbox')).not.toBeChecked();
  expect(await readModels(served)).toEqual({ a: price(1.5, 2), b: price(3, 4), theirs: price(9, 9) });
  await dialog(page).getByRole('button', { name: 'Write 1 price' }).click();
  await expect(dialog(page)).toHaveCount(0);
  expect(await readModels(served)).toEqual({ a: price(10, 20), b: price(3, 4), theirs: price(9, 9) });
});

test('takes a file that is dropped, and says what is no price list or cannot be had', async ({
  page,
  served,
}) => {
  await writeModels(served, { 'gpt-4o': price(1, 2) });
  await openPricing(page, served);
  await openImport(page, 'hello');
  await expect(dialog(page).getByRole('alert')).toContainText('This is not a price list');
  const transfer = await page.evaluateHandle(() => {
    const text = '{"gpt-4o":{"input_cost_per_token":0.0000025,"output_cost_per_token":0.00001}}';
    const data = new DataTransfer();
    data.items.add(new File([text], 'litellm.json', { type: 'application/json' }));
    return data;
  });
  await dialog(page)
    .getByRole('textbox', { name: 'Text of a price list' })
    .dispatchEvent('drop', { dataTransfer: transfer });
  await expect(dialog(page)).toContainText('litellm.json (1 kB)');
  await dialog(page).getByRole('button', { name: 'Show changes' }).click();
  await expect(dialog(page)).toContainText('Read as LiteLLM');
  await expect(changes(page)).toContainText('$2.50');
  await dialog(page).getByLabel('Search changes').fill('nothing like it');
  await expect(changes(page)).toHaveCount(0);
  // Escape empties the line, and leaves the dialog open.
  await page.keyboard.press('Escape');
  await expect(changes(page)).toHaveCount(1);
  await dialog(page).getByRole('button', { name: 'Back' }).click();
  // What was chosen is still there.
  await expect(dialog(page).getByRole('radio', { name: 'Text or file' })).toBeFocused();
  await expect(dialog(page)).toContainText('litellm.json (1 kB)');

  await page.route('**/api/pricing/import', (route) =>
    route.fulfill({
      status: 503,
      json: { error: 'The price list of models.dev cannot be had.', code: 'price_list_unavailable' },
    }),
  );
  await dialog(page).getByRole('radio', { name: 'models.dev' }).check();
  await dialog(page).getByRole('button', { name: 'Show changes' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('The price list of models.dev cannot be had.');
});

test('without the operator token shows prices, and says what an import needs', async ({ page, served }) => {
  await page.goto(`${served.url}/pricing`);
  await expect(btc(page)).toContainText('$64,000');
  await openImport(page, '{"models":{}}');
  await expect(dialog(page).getByRole('alert')).toContainText('it carries the token');
});

test('can be used by keyboard alone', async ({ page, served }) => {
  await writeModels(served, { a: price(3, 1), b: price(1, 2), c: price(2, 3) });
  await openPricing(page, served);
  const tabTo = async (target: ReturnType<Page['getByRole']>) => {
    for (let presses = 0; presses < 15; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    await expect(target).toBeFocused();
  };
  await page.getByRole('link', { name: 'Pricing' }).focus();
  await tabTo(btc(page).getByRole('button', { name: 'Refresh' }));
  await tabTo(course(page).getByRole('button', { name: 'Week' }));
  await page.keyboard.press('Enter');
  await expect(course(page).getByRole('button', { name: 'Week' })).toHaveAttribute('aria-pressed', 'true');
  const head = models(page).getByRole('button', { name: 'Input, USD per million' });
  await tabTo(head);
  await page.keyboard.press('Enter');
  await expect(models(page).getByRole('columnheader', { name: 'Input, USD per million' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  const names = () => models(page).getByRole('rowheader').locator('bdi').allTextContents();
  expect(await names()).toEqual(['b', 'c', 'a']);
  await page.keyboard.press('Enter');
  expect(await names()).toEqual(['a', 'c', 'b']);
  await tabTo(models(page).getByRole('button', { name: 'Copy a' }));

  await page.getByRole('button', { name: 'Import prices…' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  const first = dialog(page).getByRole('radio', { name: 'models.dev' });
  await tabTo(first);
  await page.keyboard.press('ArrowUp');
  await expect(dialog(page).getByRole('radio', { name: 'Text or file' })).toBeChecked();
  await tabTo(dialog(page).getByRole('textbox'));
  await page.keyboard.insertText(JSON.stringify({ models: { a: price(4, 4) } }));
  await tabTo(dialog(page).getByRole('button', { name: 'Show changes' }));
  await page.keyboard.press('Enter');
  await expect(changes(page)).toHaveCount(1);
  await tabTo(dialog(page).getByRole('button', { name: 'Write 1 price' }));
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toHaveCount(0);
  await expect(row(page, 'a')).toContainText('$4.00');
  await expect(page.getByRole('button', { name: 'Import prices…' })).toBeFocused();
});

test('shows only the rows in sight of 5,000 models', async ({ page, served }) => {
  const many = Array.from({ length: 5000 }, (_, index) => [`model-${index}`, price(index / 100, index)]);
  await writeModels(served, Object.fromEntries(many));
  await openPricing(page, served);
  await expect(models(page)).toContainText('5,000 models');
  await expect(row(page, 'model-0')).toHaveCount(1);
  expect(await models(page).getByRole('row').count()).toBeLessThan(80);
  await models(page).getByRole('rowheader').first().hover();
  await page.mouse.wheel(0, 1_000_000);
  await expect(row(page, 'model-4999')).toBeInViewport();
  expect(await models(page).getByRole('row').count()).toBeLessThan(80);
  // The head stays in sight.
  await expect(models(page).getByRole('columnheader', { name: 'Model' })).toBeInViewport();
  await models(page).getByLabel('Search models').fill('model-4242');
  await expect(models(page).getByRole('rowheader')).toHaveCount(1);
});

test('logs no error and breaks no policy, in light and dark, wide and small', async ({
  page,
  served,
  source,
}) => {
  await writeModels(served, { ['long-name-'.repeat(30)]: price(1_000_000_000, 0.000000001), a: price(1, 1) });
  await expect.poll(async () => (await fetch(`${served.url}/api/pricing/btc`)).status).toBe(200);
  source.price = 64_500;
  await fetch(`${served.url}/api/pricing/refresh`, { method: 'POST' });
  source.price = 0.0123;
  await page.goto(served.pageUrl);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const size of [
      { width: 1280, height: 800 },
      { width: 800, height: 600 },
    ]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.goto(`${served.url}/pricing`);
      await expect(row(page, 'long-name-'.repeat(30))).toBeVisible();
      await expect(course(page).locator('canvas')).toBeVisible();
      const overflow = await page.evaluate(() =>
        [...document.querySelectorAll('body, main, main .overflow-y-auto')].map(
          (element) => element.scrollWidth - element.clientWidth,
        ),
      );
      expect(overflow.every((pixels) => pixels === 0)).toBe(true);
    }
  }
});
