import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import {
  pricingPage as at,
  modelsFile,
  openPricing,
  pressRefresh,
  price,
  refreshTo,
  pricingTest as test,
  writeModels,
} from './pricing-page.ts';

const THREE_MODELS = {
  'gpt-5.4': { ...price(2.5, 15), cache_read_usd_per_million: 0.25 },
  tiny: price(0.0001, 0),
  'gpt-5.10': price(0, 1),
};

test('shows the BTC price with its source and age, and what each model costs', { tag: '@smoke' }, async ({
  page,
  served,
}) => {
  await writeModels(served, THREE_MODELS);
  await openPricing(page, served);
  await expect(at(page).btc).toContainText('$64,000');
  await expect(at(page).btc).toContainText(/from mempool at 127\.0\.0\.1:\d+, reported just now/);
  await expect(at(page).btc.getByText('out of date')).toHaveCount(0);
  await expect(at(page).models).toContainText('3 models');
  expect(await at(page).cells('gpt-5.4')).toEqual(['$2.50', '$15.00', '3,906', '23,438']);
  expect(await at(page).cells('tiny')).toEqual(['$0.0001', '$0.00', '0.1563', '0']);
  // By provider, until they are sorted by price.
  expect(await at(page).names()).toEqual(['gpt-5.4', 'gpt-5.10', 'tiny']);
  await expect(at(page).models.getByRole('cell', { name: 'OpenAI 2' })).toBeVisible();
});

test('shows which agents use a model, every digit of a price, and prices as they are chosen', async ({
  page,
  served,
  source,
}) => {
  await writeModels(served, THREE_MODELS);
  await openPricing(page, served);
  // Which agents use a model, and all digits of a price, also without a mouse.
  await writeFile(served.agent('scout/pi-args'), '--model\nopenai/gpt-5.4\n');
  const users = at(page).models.getByRole('button', { name: 'gpt-5.4 is used by 1 agent' });
  await tabTo(page, users);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Agents that use gpt-5.4' });
  await expect(dialog.getByRole('link', { name: 'scout' })).toHaveAttribute('href', /^\/agents\/scout\//);
  await page.keyboard.press('Escape');
  await expect(users).toBeFocused();
  await tabTo(page, at(page).price('Input', 'gpt-5.4'));
  await expect(page.locator('[role="tooltip"]')).toContainText('Sats per million, output: 23,437.5');
  // No digit that only rounding made, and the details follow a new price.
  await refreshTo(served, source, 97_275.0001);
  await expect(page.locator('[role="tooltip"]')).toContainText('Sats per million, output: 15,420.2');
  await refreshTo(served, source, 64_000);
  await page.keyboard.press('Escape');

  await at(page).models.getByRole('button', { name: 'Input, USD per million' }).click();
  expect(await at(page).names()).toEqual(['gpt-5.10', 'tiny', 'gpt-5.4']);
  await expect(at(page).models.getByRole('cell', { name: /^OpenAI/ })).toHaveCount(0);

  await at(page).models.getByLabel('Search models').fill('5.1');
  await expect(at(page).models.getByRole('rowheader')).toHaveCount(1);
  await expect(at(page).models).toContainText('1 match');

  await at(page).models.getByLabel('Search models').fill('');
  const head = (name: string) => at(page).models.getByRole('columnheader', { name });
  await expect(head('Sats per million').first()).toBeVisible();
  await at(page).models.getByRole('button', { name: 'Per token' }).click();
  await expect(head('USD per million')).toHaveCount(0);
  expect(await at(page).cells('gpt-5.4')).toEqual(['$0.0000025', '$0.000015', '0.003906', '0.02344']);
  expect(await at(page).cells('tiny')).toEqual(['$1e-10', '$0.00', '1.56e-7', '0']);
  await expect(at(page).models.getByRole('columnheader', { name: 'Input, USD per token' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );

  // Prices of the cache are behind a choice, because most models have none.
  await at(page).models.getByRole('button', { name: 'Cache' }).click();
  await expect(head('Cache, USD per million').first()).toBeVisible();
  expect(await at(page).cells('gpt-5.4')).toEqual(['$0.25', '–no price', '390.6', '–no price']);
});

test('agrees with the API on sats for a token', async ({ page, served, source }) => {
  await writeModels(served, { m: price(3.75, 11.1) });
  await refreshTo(served, source, 71_234.56);
  await openPricing(page, served);
  await at(page).models.getByRole('button', { name: 'Per token' }).click();
  const told = (await (await fetch(`${served.url}/api/pricing/tokens?model=m`)).json()) as {
    input_sats_per_token: number;
    output_sats_per_token: number;
  };
  for (const sats of [told.input_sats_per_token, told.output_sats_per_token]) {
    await expect(
      at(page)
        .row('m')
        .locator(`[data-details$=": ${Number(sats.toPrecision(7))}"]`),
    ).toBeVisible();
  }

  // A price of seven digits stays on one line.
  await refreshTo(served, source, 1_234_567);
  await page.setViewportSize({ width: 1024, height: 768 });
  const headline = at(page).btc.getByText('$1,234,567', { exact: true });
  await expect(headline).toBeVisible();
  const { lines, overflow } = await headline.evaluate((element) => ({
    lines: element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
    overflow: element.scrollWidth - element.clientWidth,
  }));
  expect([lines, overflow]).toEqual([1, 0]);
});

test('fetches a new price, and shows what each source returned when there is none', async ({
  page,
  served,
  source,
}) => {
  await openPricing(page, served);
  await expect(at(page).btc).toContainText('$64,000');
  source.price = 65_000;
  await pressRefresh(page, () => expect(at(page).btc).toContainText('$65,000', { timeout: 1_000 }));
  await expect(page.getByRole('status').filter({ hasText: '$65,000, from mempool' })).toBeAttached();
  // A routine refresh needs no toast.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  source.price = null;
  await pressRefresh(page, () =>
    expect(at(page).btc.getByRole('alert')).toContainText('No new price', { timeout: 1_000 }),
  );
  await expect(at(page).btc.getByRole('alert')).toContainText('mempool');
  await expect(at(page).btc.getByRole('alert')).toContainText('HTTP 503');
  await expect(at(page).btc).toContainText('$65,000');
  source.price = 66_000;
  await pressRefresh(page, () => expect(at(page).btc).toContainText('$66,000', { timeout: 1_000 }));
  await expect(at(page).btc.getByRole('alert')).toHaveCount(0);
});

test('draws the chart from the second price on, describes it in words, and shows prices that others fetched', async ({
  page,
  served,
  source,
}) => {
  await openPricing(page, served);
  await expect(at(page).btc).toContainText('$64,000');
  await expect(at(page).course).toContainText('No history yet');
  await expect(page.getByText('Connected')).toBeAttached();
  await refreshTo(served, source, 65_600);
  await expect(at(page).btc).toContainText('$65,600');
  const chart = at(page).course.getByRole('img', {
    name: 'Line chart of the BTC price over the last day: lowest $64,000, highest $65,600, change +$1,600 (+2.5%)',
  });
  await expect(chart.locator('canvas')).toBeVisible();
  await expect(at(page).course.locator('dl')).toContainText('+$1,600 (+2.5%)');
  await at(page).course.getByRole('button', { name: 'Week' }).click();
  await expect(at(page).course.getByRole('img', { name: /over the last week/ })).toBeVisible();
  await expect(at(page).course.getByRole('button', { name: 'Week' })).toHaveAttribute('aria-pressed', 'true');

  // It is drawn anew in the colours of the other theme, and in the width of another window.
  const drawn = () =>
    at(page)
      .course.locator('canvas')
      .evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await drawn();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(drawn).not.toBe(light);
  await page.setViewportSize({ width: 800, height: 600 });
  const fits = () =>
    at(page)
      .course.getByRole('img')
      .evaluate((host) => host.querySelector('canvas')?.clientWidth === host.clientWidth);
  await expect.poll(fits).toBe(true);
});

test('works without the code of the chart, and says so in its place', async ({ page, served, source }) => {
  await writeModels(served, { m: price(3, 4) });
  await expect.poll(async () => (await fetch(`${served.url}/api/pricing/btc`)).status).toBe(200);
  await refreshTo(served, source, 65_600);
  await page.route('**/assets/price-chart-*.js', (route) => route.abort());
  await openPricing(page, served);
  const alert = at(page).course.getByRole('alert');
  await expect(alert).toContainText('Part of the page didn’t load');
  await expect(at(page).course.getByRole('button', { name: 'Reload' })).toBeVisible();
  await expect(at(page).row('m')).toContainText('$3.00');
  await expect(at(page).course.locator('dl')).toContainText('+$1,600 (+2.5%)');
  // It is as high as the chart, and all that it says is in it.
  const heights = await alert
    .locator('..')
    .evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight]);
  expect(heights).toEqual([160, 160]);
});

test.describe('with a price that is fetched every second', () => {
  test.use({
    environment: async ({ source }, use) =>
      use({ BTC_PRICE_SOURCES: source.setting, BTC_PRICE_REFRESH_INTERVAL: '1' }),
  });

  test('marks a stale price', async ({ page, served, source }) => {
    await openPricing(page, served);
    await expect(at(page).btc).toContainText('$64,000');
    source.price = null;
    await expect
      .poll(async () => (await (await fetch(`${served.url}/api/pricing/btc`)).json()).stale)
      .toBe(true);
    await page.reload();
    await expect(at(page).btc.getByText('out of date', { exact: true })).toBeVisible();
    await expect(at(page).btc).toContainText('No source has responded recently');
  });
});

test('shows models in USD alone while there has never been a BTC price', async ({ page, served, source }) => {
  source.price = null;
  await writeModels(served, { m: price(3, 4) });
  await rm(join(served.root, '..', 'data', 'btc_price_history.jsonl'), { force: true });
  await page.route('**/api/pricing/btc', (route) =>
    route.fulfill({
      status: 503,
      json: { error: 'dot-mi has no BTC price yet.', code: 'price_unavailable' },
    }),
  );
  await openPricing(page, served);
  await expect(at(page).btc).toContainText('No BTC price yet');
  await expect(at(page).btc).toContainText('Prices are in USD until a source responds');
  await expect(at(page).row('m')).toContainText('$3.00');
  await expect(at(page).row('m').getByText('no BTC price')).toHaveCount(2);
  const refused = at(page).btc.getByRole('alert');
  await pressRefresh(page, () =>
    expect(refused).toContainText('No source returned a BTC price', { timeout: 1_000 }),
  );
  await expect(refused).toContainText('HTTP 503');
  await expect(refused).not.toContainText('old price');
  await expect(at(page).btc.getByRole('link', { name: 'Change sources' })).toHaveAttribute(
    'href',
    '/settings/pricing',
  );
  await page.unroute('**/api/pricing/btc');
  source.price = 64_000;
  await pressRefresh(page, () => expect(at(page).btc).toContainText('$64,000', { timeout: 1_000 }));
  await expect(at(page).row('m')).toContainText('4,688');
});

test('follows an edit of the file on disk, and says what is wrong with it', async ({ page, served }) => {
  await writeModels(served, { first: price(1, 2) });
  await openPricing(page, served);
  await expect(at(page).row('first')).toContainText('$1.00');
  await expect(page.getByText('Connected')).toBeAttached();
  await writeModels(served, { first: price(9, 2), second: price(3, 4) });
  await expect(at(page).row('first')).toContainText('$9.00');
  await expect(at(page).row('second')).toBeVisible();

  await writeFile(
    modelsFile(served),
    `{"models":{\n"first":${JSON.stringify(price(8, 2))},\n"bad":${JSON.stringify(price(-1, 2))}}}`,
  );
  await expect(at(page).models.getByRole('alert')).toContainText('line 3: "bad" is ignored');
  await expect(at(page).row('first')).toContainText('$8.00');

  await writeFile(modelsFile(served), '{"models":\n nonsense');
  await expect(at(page).models.getByRole('alert')).toContainText('line 2');
  await expect(at(page).row('first')).toContainText('$8.00');
});

test('says so when the models file could never be used, until it can be', async ({ page, served }) => {
  let asked = 0;
  await page.route('**/api/pricing/models', (route) => {
    asked += 1;
    return route.fulfill({
      status: 500,
      json: { error: 'The models file is empty. Mend it.', code: 'pricing_config_invalid' },
    });
  });
  await page.goto(`${served.pageUrl}`);
  await page.getByRole('link', { name: 'Pricing' }).click();
  await expect(
    at(page).models.getByRole('heading', { name: 'dot-mi can’t use the models file' }),
  ).toBeVisible();
  await expect(at(page).models).toContainText('The models file is empty. Mend it.');
  // There is nothing to add a model to.
  await expect(at(page).models.getByRole('button', { name: 'Add model…' })).toBeDisabled();
  const askedBefore = asked;
  await at(page).models.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => asked).toBeGreaterThan(askedBefore);
  await page.unroute('**/api/pricing/models');
  // Another program writes it, and the page follows by itself.
  await writeModels(served, { mended: price(1, 2) });
  await expect(at(page).row('mended')).toBeVisible();
});

test('can be used by keyboard alone', async ({ page, served }) => {
  await writeModels(served, { a: price(3, 1), b: price(1, 2), c: price(2, 3) });
  await openPricing(page, served, 'by keys');
  await tabTo(page, at(page).btc.getByRole('button', { name: 'Refresh' }));
  await tabTo(page, at(page).course.getByRole('button', { name: 'Week' }));
  await page.keyboard.press('Enter');
  await expect(at(page).course.getByRole('button', { name: 'Week' })).toHaveAttribute('aria-pressed', 'true');
  const head = at(page).models.getByRole('button', { name: 'Input, USD per million' });
  await tabTo(page, head);
  await page.keyboard.press('Enter');
  await expect(at(page).models.getByRole('columnheader', { name: 'Input, USD per million' })).toHaveAttribute(
    'aria-sort',
    'ascending',
  );
  const names = () => at(page).models.getByRole('rowheader').locator('bdi').allTextContents();
  expect(await names()).toEqual(['b', 'c', 'a']);
  await page.keyboard.press('Enter');
  expect(await names()).toEqual(['a', 'c', 'b']);
  await tabTo(page, at(page).models.getByRole('button', { name: 'Copy a' }));

  await tabTo(page, page.getByRole('button', { name: 'Import prices…' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(at(page).dialog).toBeVisible();
  const first = at(page).dialog.getByRole('radio', { name: 'models.dev' });
  await tabTo(page, first);
  await page.keyboard.press('ArrowUp');
  await expect(at(page).dialog.getByRole('radio', { name: 'Text or file' })).toBeChecked();
  await tabTo(page, at(page).dialog.getByRole('textbox'));
  await page.keyboard.insertText(JSON.stringify({ models: { a: price(4, 4) } }));
  await tabTo(page, at(page).dialog.getByRole('button', { name: 'Show changes' }));
  await page.keyboard.press('Enter');
  await expect(at(page).changes).toHaveCount(1);
  await tabTo(page, at(page).dialog.getByRole('button', { name: 'Save 1 price' }));
  await page.keyboard.press('Enter');
  await expect(at(page).dialog).toHaveCount(0);
  await expect(at(page).row('a')).toContainText('$4.00');
  await expect(page.getByRole('button', { name: 'Import prices…' })).toBeFocused();
});

test('shows only the rows in sight of 5,000 models', async ({ page, served }) => {
  const many = Array.from({ length: 5000 }, (_, index) => [`model-${index}`, price(index / 100, index)]);
  await writeModels(served, Object.fromEntries(many));
  await openPricing(page, served);
  await expect(at(page).models).toContainText('5,000 models');
  await expect(at(page).row('model-0')).toHaveCount(1);
  expect(await at(page).models.getByRole('row').count()).toBeLessThan(80);
  // Rows out of sight take no width from the names in a narrow window.
  await page.setViewportSize({ width: 800, height: 600 });
  await expect
    .poll(async () => (await at(page).models.getByRole('rowheader').first().boundingBox())?.width)
    .toBeGreaterThan(300);
  await page.setViewportSize({ width: 1280, height: 800 });
  const priceOf = (model: string) =>
    at(page)
      .row(model)
      .getByRole('button', { name: /Input price/ });
  await priceOf('model-1').focus();
  await at(page).models.getByRole('rowheader').first().hover();
  await page.mouse.wheel(0, 1_000_000);
  await expect(at(page).row('model-4999')).toBeInViewport();
  expect(await at(page).models.getByRole('row').count()).toBeLessThan(80);
  // The head stays in sight.
  await expect(at(page).models.getByRole('columnheader', { name: 'Model' })).toBeInViewport();
  // The focus stays, and the keys go on from there.
  await expect(priceOf('model-1')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(priceOf('model-2')).toBeFocused();
  await expect(priceOf('model-2')).toBeInViewport();
  await at(page).models.getByLabel('Search models').fill('model-4242');
  await expect(at(page).models.getByRole('rowheader')).toHaveCount(1);
});

test('logs no error and breaks no policy, in light and dark, wide and small', async ({
  page,
  served,
  source,
}) => {
  await writeModels(served, { ['long-name-'.repeat(30)]: price(1_000_000_000, 0.000000001), a: price(1, 1) });
  await expect.poll(async () => (await fetch(`${served.url}/api/pricing/btc`)).status).toBe(200);
  await refreshTo(served, source, 64_500);
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
      await expect(at(page).row('long-name-'.repeat(30))).toBeVisible();
      await expect(at(page).course.locator('canvas')).toBeVisible();
      const overflow = await page.evaluate(() =>
        [...document.querySelectorAll('body, main, main .overflow-y-auto')].map(
          (element) => element.scrollWidth - element.clientWidth,
        ),
      );
      expect(overflow.every((pixels) => pixels === 0)).toBe(true);
    }
  }
});
