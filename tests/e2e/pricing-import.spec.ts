import { expect } from './fixtures.ts';
import {
  pricingPage as at,
  openImport,
  openPricing,
  price,
  readModels,
  pricingTest as test,
  writeModels,
} from './pricing-page.ts';

test('previews a price list and writes the selected models', async ({ page, served }) => {
  await writeModels(served, { ['__proto__']: price(1, 1), a: price(1, 2), b: price(3, 4), c: price(5, 6) });
  await openPricing(page, served);
  const before = await readModels(served);
  await openImport(
    page,
    JSON.stringify({
      models: { a: price(10, 2), b: price(30, 40), c: price(5, 6), new1: price(7, 7), new2: price(8, 8) },
    }),
  );
  await expect(at(page).dialog).toContainText('1 model unchanged');
  await expect(at(page).changes).toHaveCount(2);
  await expect(at(page).changes.first()).toContainText('$1.00');
  await expect(at(page).changes.first()).toContainText('$10.00');
  await expect(at(page).dialog.getByRole('button', { name: 'Save 2 prices' })).toBeEnabled();
  // What is out of sight again is not written.
  await at(page).dialog.getByRole('checkbox', { name: 'Show 2 new models' }).check();
  await at(page).dialog.getByRole('button', { name: 'Select all' }).click();
  await expect(at(page).dialog.getByRole('button', { name: 'Save 4 prices' })).toBeEnabled();
  await at(page).dialog.getByRole('checkbox', { name: 'Show 2 new models' }).uncheck();
  await at(page).changes.filter({ hasText: '$30.00' }).getByRole('checkbox').uncheck();
  await at(page).dialog.getByRole('checkbox', { name: 'Show 2 new models' }).check();
  await expect(at(page).changes).toHaveCount(4);
  await at(page).dialog.getByLabel('Search changes').fill('new2');
  await at(page).changes.getByRole('checkbox').check();
  expect(await readModels(served)).toEqual(before);

  await at(page).dialog.getByRole('button', { name: 'Save 2 prices' }).click();
  await expect(at(page).dialog).toHaveCount(0);
  await expect(page.getByText('Saved 2 prices')).toBeVisible();
  await expect(at(page).row('new2')).toContainText('$8.00');
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

test('reads the file again when it changed during the preview, and overwrites nothing', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) });
  await openPricing(page, served);
  await openImport(page, JSON.stringify({ models: { a: price(10, 20), b: price(30, 40) } }));
  await at(page).changes.filter({ hasText: '$30.00' }).getByRole('checkbox').uncheck();
  await writeModels(served, { a: price(1.5, 2), b: price(3, 4), theirs: price(9, 9) });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/pricing/models', async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.fallback();
  });
  await at(page).dialog.getByRole('button', { name: 'Save 1 price' }).click();
  // What comes of it is to be seen: until then nothing closes the dialog or changes what is being written.
  await expect(at(page).dialog.getByRole('button', { name: 'Saving…' })).toBeVisible();
  await expect(at(page).changes.first().getByRole('checkbox')).toBeDisabled();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  release();
  await expect(at(page).dialog.getByRole('alert')).toContainText('Another program changed the models file');
  await expect(at(page).changes.first()).toContainText('$1.50');
  await expect(at(page).changes.filter({ hasText: '$30.00' }).getByRole('checkbox')).not.toBeChecked();
  expect(await readModels(served)).toEqual({ a: price(1.5, 2), b: price(3, 4), theirs: price(9, 9) });
  await at(page).dialog.getByRole('button', { name: 'Save 1 price' }).click();
  await expect(at(page).dialog).toHaveCount(0);
  expect(await readModels(served)).toEqual({ a: price(10, 20), b: price(3, 4), theirs: price(9, 9) });
});

test('accepts a dropped file, and reports what isn’t a price list or can’t be fetched', async ({
  page,
  served,
}) => {
  await writeModels(served, { 'gpt-4o': price(1, 2) });
  await openPricing(page, served);
  await openImport(page, 'hello');
  await expect(at(page).dialog.getByRole('alert')).toContainText('This is not a price list');
  const transfer = await page.evaluateHandle(() => {
    const text = '{"gpt-4o":{"input_cost_per_token":0.0000025,"output_cost_per_token":0.00001}}';
    const data = new DataTransfer();
    data.items.add(new File([text], 'litellm.json', { type: 'application/json' }));
    return data;
  });
  await at(page)
    .dialog.getByRole('textbox', { name: 'Price list text' })
    .dispatchEvent('drop', { dataTransfer: transfer });
  await expect(at(page).dialog).toContainText('litellm.json (1 kB)');
  await expect(at(page).dialog.getByRole('alert')).toHaveCount(0);
  await at(page).dialog.getByRole('button', { name: 'Show changes' }).click();
  await expect(at(page).dialog).toContainText('Read as LiteLLM');
  await expect(at(page).changes).toContainText('$2.50');
  await at(page).dialog.getByLabel('Search changes').fill('nothing like it');
  await expect(at(page).changes).toHaveCount(0);
  // Escape empties the line, and leaves the dialog open.
  await page.keyboard.press('Escape');
  await expect(at(page).changes).toHaveCount(1);
  await at(page).dialog.getByRole('button', { name: 'Back' }).click();
  // What was chosen is still there.
  await expect(at(page).dialog.getByRole('radio', { name: 'Text or file' })).toBeFocused();
  await expect(at(page).dialog).toContainText('litellm.json (1 kB)');

  await page.route('**/api/pricing/import', (route) =>
    route.fulfill({
      status: 503,
      json: {
        error: 'dot-mi could not fetch the price list from models.dev.',
        code: 'price_list_unavailable',
      },
    }),
  );
  await at(page).dialog.getByRole('radio', { name: 'models.dev' }).check();
  await at(page).dialog.getByRole('button', { name: 'Show changes' }).click();
  await expect(at(page).dialog.getByRole('alert')).toContainText(
    'dot-mi could not fetch the price list from models.dev.',
  );
});

test('without the operator token shows prices, and says what an import needs', async ({ page, served }) => {
  await page.goto(`${served.url}/pricing`);
  await expect(at(page).btc).toContainText('$64,000');
  await openImport(page, '{"models":{}}');
  await at(page).dialog.getByRole('button', { name: 'Sign in…' }).click();
  await expect(page.getByRole('dialog').filter({ hasText: 'it ends in #token=…' })).toBeVisible();
});
