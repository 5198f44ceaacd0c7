import { readFile } from 'node:fs/promises';
import { expect } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import {
  modelsFile,
  openPricing,
  price,
  readModels,
  refreshTo,
  pricingTest as test,
  writeModels,
} from './pricing-page.ts';

test('edits a price in its cell, reports an invalid price, and undoes the edit', async ({ page, served }) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) }, { source: 'my own list' });
  const at = await openPricing(page, served);
  await at.price('Input', 'a').click();
  const field = at.models.getByRole('textbox', { name: 'Input price of a in USD per million tokens' });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('1');
  await field.fill('a lot');
  await field.press('Enter');
  await expect(at.models.getByRole('alert')).toHaveText('Enter a price, such as 2.5.');
  await field.press('Escape');
  await expect(at.price('Input', 'a')).toHaveText('$1.00');
  await expect(at.price('Input', 'a')).toBeFocused();

  await at.price('Input', 'a').dblclick();
  await field.fill('$2.50');
  // Elsewhere in the page: that is a way to say so, too.
  await at.models.getByRole('heading', { name: 'Models' }).click();
  await expect(at.price('Input', 'a')).toHaveText('$2.50');
  await expect(at.row('a')).toContainText('3,906');
  await expect(at.notifications).toContainText('Saved a');
  expect(await readModels(served)).toEqual({ a: price(2.5, 2), b: price(3, 4) });
  expect(JSON.parse(await readFile(modelsFile(served), 'utf8')).source).toBe('my own list');
  await at.notifications.getByRole('button', { name: 'Undo' }).click();
  await expect(at.price('Input', 'a')).toHaveText('$1.00');
  await expect.poll(() => readModels(served)).toEqual({ a: price(1, 2), b: price(3, 4) });
});

test('edits prices by keyboard alone', async ({ page, served }) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4), c: price(5, 6) });
  const at = await openPricing(page, served, 'by keys');
  await tabTo(page, at.models.getByRole('button', { name: 'Output, Sats per million' }));
  await tabTo(page, at.price('Input', 'a'));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(at.price('Output', 'b')).toBeFocused();
  await page.keyboard.press('F2');
  await page.keyboard.type('44');
  await page.keyboard.press('Enter');
  await expect(at.price('Output', 'b')).toHaveText('$44.00');
  await expect(at.price('Output', 'b')).toBeFocused();
  await page.keyboard.press('ArrowUp');
  // Typing on a price replaces it.
  await page.keyboard.type('7.5');
  await page.keyboard.press('Enter');
  await expect(at.price('Output', 'a')).toHaveText('$7.50');
  await expect.poll(() => readModels(served)).toEqual({ a: price(1, 7.5), b: price(3, 44), c: price(5, 6) });
});

test('sets the fee of each request and the prices of long requests by keyboard alone', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) });
  const at = await openPricing(page, served, 'by keys');
  await tabTo(page, at.row('a').getByRole('button', { name: 'Edit a' }));
  await page.keyboard.press('Enter');
  const edit = page.getByRole('dialog', { name: 'Edit a model' });
  await tabTo(page, edit.getByRole('textbox', { name: /^Fee for each request/ }));
  await page.keyboard.type('0.01');
  await tabTo(page, edit.getByRole('button', { name: 'Add prices for long requests' }));
  await page.keyboard.press('Enter');
  const long = edit.getByRole('group', { name: /^(Long requests|Requests above)/ });
  const above = long.getByRole('textbox', { name: 'Above this many input tokens' });
  await expect(above).toBeFocused();
  await page.keyboard.type('many');
  await page.keyboard.press('Tab');
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await expect(long).toContainText('Enter a whole number of tokens, such as 200000.');
  await expect(above).toBeFocused();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('200,000');
  await tabTo(page, long.getByRole('textbox', { name: /^Output/ }));
  await page.keyboard.type('8');
  await page.keyboard.press('Enter');
  await expect(edit).toHaveCount(0);
  const uneven = {
    ...price(1, 2),
    request_usd: 0.01,
    tiers: [{ input_tokens_above: 200_000, ...price(4, 8) }],
  };
  await expect.poll(() => readModels(served)).toEqual({ a: uneven, b: price(3, 4) });
  await expect(at.row('a')).toContainText('varies');

  await tabTo(page, at.row('a').getByRole('button', { name: 'Edit a' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, edit.getByRole('button', { name: 'Remove these prices' }));
  await page.keyboard.press('Enter');
  await expect(edit.getByRole('button', { name: 'Add prices for long requests' })).toBeFocused();
  await tabTo(page, edit.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await expect
    .poll(() => readModels(served))
    .toEqual({ a: { ...price(1, 2), request_usd: 0.01 }, b: price(3, 4) });
});

test('adds, renames and removes models by keyboard alone', async ({ page, served }) => {
  await writeModels(served, { a: price(1, 7.5), b: price(3, 44), c: price(5, 6) });
  const at = await openPricing(page, served, 'by keys');
  await tabTo(page, at.row('b').getByRole('button', { name: 'Edit b' }));
  await page.keyboard.press('Enter');
  const edit = page.getByRole('dialog', { name: 'Edit a model' });
  const name = edit.getByRole('textbox', { name: /^Name/ });
  await tabTo(page, name);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('a');
  await page.keyboard.press('Enter');
  await expect(edit).toContainText('A model with this name already exists.');
  await expect(name).toBeFocused();
  await page.keyboard.type(' bigger b');
  await page.keyboard.press('Enter');
  await expect(edit).toHaveCount(0);
  await expect(at.notifications).toContainText('Renamed b to a bigger b');
  await expect.poll(() => at.names()).toEqual(['a', 'a bigger b', 'c']);

  await tabTo(page, at.models.getByRole('button', { name: 'Add model…' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  const add = page.getByRole('dialog', { name: 'Add a model' });
  await tabTo(page, add.getByRole('textbox', { name: /^Name/ }));
  await page.keyboard.type('d');
  await page.keyboard.press('Enter');
  await expect(add.getByText('Enter a price, such as 2.5.')).toHaveCount(2);
  await expect(add.getByRole('textbox', { name: /^Input/ })).toBeFocused();
  await page.keyboard.type('0');
  await page.keyboard.press('Tab');
  await page.keyboard.type('.25');
  await page.keyboard.press('Enter');
  await expect(at.row('d')).toContainText('$0.25');

  await tabTo(page, at.row('c').getByRole('button', { name: 'Remove c' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => at.names()).toEqual(['a', 'a bigger b', 'd']);
  await expect(at.row('d').getByRole('button', { name: 'Remove d' })).toBeFocused();
  await page.keyboard.press('F6');
  const removed = at.notifications.getByRole('dialog', { name: 'Removed c' });
  await tabTo(page, removed.getByRole('button', { name: 'Undo' }));
  await page.keyboard.press('Enter');
  await expect.poll(() => at.names()).toEqual(['a', 'a bigger b', 'c', 'd']);
  // Everything is in its place again.
  await expect
    .poll(async () => Object.entries(await readModels(served)))
    .toEqual([
      ['a', price(1, 7.5)],
      ['a bigger b', price(3, 44)],
      ['c', price(5, 6)],
      ['d', price(0, 0.25)],
    ]);
});

test('writes nothing over another program’s edit, and applies the edit to it on request', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) });
  const at = await openPricing(page, served);
  const field = at.models.getByRole('textbox', { name: /^Input price of a/ });
  await at.price('Input', 'a').click();
  await field.fill('10');
  await writeModels(served, { a: price(1, 20), theirs: price(9, 9) });
  await expect(at.row('theirs')).toBeVisible();
  // What is typed stays, and so does the focus.
  await expect(field).toHaveValue('10');
  await expect(field).toBeFocused();
  await field.press('Enter');
  const notice = at.models.getByRole('group').filter({ hasText: 'Another program changed the models file' });
  await expect(notice).toContainText('set “a” to $10.00 for input');
  await expect(at.row('theirs')).toBeVisible();
  expect(await readModels(served)).toEqual({ a: price(1, 20), theirs: price(9, 9) });
  await tabTo(page, notice.getByRole('button', { name: 'Apply to the new version' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(at.price('Input', 'a')).toHaveText('$10.00');
  await expect(notice).toHaveCount(0);
  await expect(at.models.getByRole('heading', { name: 'Models' })).toBeFocused();
  expect(await readModels(served)).toEqual({ a: price(10, 20), theirs: price(9, 9) });

  // What the edit was about is gone: there is nothing to apply it to.
  await at.price('Input', 'a').click();
  await field.fill('11');
  await writeModels(served, {});
  await expect(notice).toContainText('set “a” to $11.00 for input');
  await expect(notice).toContainText('a is no longer in the file');
  await expect(page.locator('body')).not.toBeFocused();
  await expect(notice.getByRole('button', { name: 'Apply to the new version' })).toHaveCount(0);
  await notice.getByRole('button', { name: 'Discard' }).click();
  await expect(notice).toHaveCount(0);
  expect(await readModels(served)).toEqual({});
});

test('keeps what is typed in a dialog and a cell while the models cannot be read', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2) });
  const at = await openPricing(page, served);
  let isBroken = false;
  await page.route('**/api/pricing/models', (route) =>
    isBroken && route.request().method() === 'GET'
      ? route.fulfill({ status: 500, json: { error: 'It cannot be read.', code: 'pricing_config_invalid' } })
      : route.fallback(),
  );
  const trouble = page.getByText('dot-mi can’t use the models file');
  const breakFile = async () => {
    isBroken = true;
    await writeModels(served, { a: price(1, 2) }, { source: String(Math.random()) });
    await expect(trouble).toBeVisible();
  };
  await at.models.getByRole('button', { name: 'Add model…' }).click();
  const name = page.getByRole('dialog', { name: 'Add a model' }).getByRole('textbox', { name: /^Name/ });
  await name.fill('new');
  await breakFile();
  await expect(name).toHaveValue('new');
  await page.keyboard.press('Escape');
  // The page may have read again automatically. Its dialog must be gone before the button is pressed.
  await expect(page.getByRole('dialog')).toHaveCount(0);
  isBroken = false;
  await at.models.getByRole('button', { name: 'Try again' }).click();

  await at.price('Input', 'a').click();
  await page.keyboard.type('12');
  await breakFile();
  isBroken = false;
  await at.models.getByRole('button', { name: 'Try again' }).click();
  await expect(at.models.getByRole('textbox', { name: /^Input price of a/ })).toHaveValue('12');
});

test('asks before an edit drops unreadable entries, and says what the page may not write', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2), bad: price(-1, 2) });
  const at = await openPricing(page, served);
  await expect(at.models.getByRole('alert')).toContainText('line 1: "bad" is ignored');
  await at.price('Input', 'a').click();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: /unreadable entries/ });
  await expect(question).toContainText('Saving drops the entries that dot-mi couldn’t read.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await readModels(served)).toEqual({ a: price(1, 2), bad: price(-1, 2) });
  await expect(at.price('Input', 'a')).toHaveText('$1.00');
  await at.price('Input', 'a').click();
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Save and drop entries' }).click();
  await expect(at.price('Input', 'a')).toHaveText('$6.00');
  expect(await readModels(served)).toEqual({ a: price(6, 2) });

  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await at.price('Input', 'a').click();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  const notice = at.models.getByRole('group').filter({ hasText: 'Nothing was saved' });
  await expect(notice).toContainText('set “a” to $7.00 for input');
  await expect(notice.getByRole('button', { name: 'Sign in…' })).toBeVisible();
  await expect(at.price('Input', 'a')).toHaveText('$6.00');
  await notice.getByRole('button', { name: 'Discard' }).click();
  await expect(notice).toHaveCount(0);
});

test('keeps a typed edit, or an undo, that can’t be saved yet', async ({ page, served }) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) });
  const at = await openPricing(page, served);
  const breakDisk = () =>
    page.route('**/api/pricing/models', (route) =>
      route.request().method() === 'GET'
        ? route.fallback()
        : route.fulfill({ status: 507, json: { error: 'The disk is full.', code: 'disk_full' } }),
    );
  const mendDisk = () => page.unroute('**/api/pricing/models');

  await breakDisk();
  await at.models.getByRole('button', { name: 'Add model…' }).click();
  const add = page.getByRole('dialog', { name: 'Add a model' });
  await add.getByRole('textbox', { name: /^Name/ }).fill('new');
  await add.getByRole('textbox', { name: /^Input/ }).fill('7');
  await add.getByRole('textbox', { name: /^Output/ }).fill('8');
  await page.keyboard.press('Enter');
  await expect(add.getByRole('alert')).toContainText('The disk is full.');
  await mendDisk();
  await add.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(add).toHaveCount(0);
  await expect.poll(() => readModels(served)).toMatchObject({ new: price(7, 8) });

  // Another program is quicker: the dialog says so, and saves over what it wrote once the person confirms.
  await at.row('b').hover();
  await at.row('b').getByRole('button', { name: 'Edit b' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit a model' });
  await edit.getByRole('textbox', { name: /^Input/ }).fill('33');
  await writeModels(served, { a: price(1, 2), b: price(3, 40) });
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByRole('alert')).toContainText('Another program changed the models file');
  expect(await readModels(served)).toEqual({ a: price(1, 2), b: price(3, 40) });
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toHaveCount(0);
  expect(await readModels(served)).toEqual({ a: price(1, 2), b: price(33, 40) });

  await at.row('a').hover();
  await at.row('a').getByRole('button', { name: 'Remove a' }).click();
  await expect(at.notifications).toContainText('Removed a');
  await breakDisk();
  await at.notifications
    .getByRole('dialog', { name: 'Removed a' })
    .getByRole('button', { name: 'Undo' })
    .click();
  const notice = at.models.getByRole('group').filter({ hasText: 'Nothing was saved' });
  await expect(notice).toContainText('dot-mi couldn’t add “a”. The disk is full.');
  await mendDisk();
  await notice.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => at.names()).toEqual(['a', 'b']);
  await expect(notice).toHaveCount(0);
});

test('reports a failed edit in whatever view is open, and keeps it and the next one until they are answered', async ({
  page,
  served,
}) => {
  await writeModels(served, { a: price(1, 2), b: price(3, 4) });
  const at = await openPricing(page, served);
  await at.price('Input', 'a').click();
  await page.keyboard.type('10');
  await writeModels(served, { a: price(1, 20), b: price(3, 4) });
  // The cell is left for another view.
  await page.getByRole('link', { name: 'Wallet' }).click();
  await expect(page.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible();
  await expect(at.notifications).toContainText('set “a” to $10.00 for input.');
  await page.keyboard.press('F6');
  await tabTo(page, at.notifications.getByRole('button', { name: 'Show in Pricing' }));
  await page.keyboard.press('Enter');
  const notices = at.models.getByRole('group').filter({ hasText: 'Another program changed the models file' });
  await expect(notices).toContainText('set “a” to $10.00 for input');

  await at.price('Output', 'b').click();
  await page.keyboard.type('44');
  await writeModels(served, { a: price(1, 21), b: price(3, 4) });
  await page.keyboard.press('Enter');
  await expect(notices).toHaveCount(2);
  await notices.first().getByRole('button', { name: 'Apply to the new version' }).click();
  await expect(notices).toHaveCount(1);
  await expect.poll(() => readModels(served)).toEqual({ a: price(10, 21), b: price(3, 4) });
  await notices.getByRole('button', { name: 'Apply to the new version' }).click();
  await expect.poll(() => readModels(served)).toEqual({ a: price(10, 21), b: price(3, 44) });

  // A question waits, too.
  await writeModels(served, { a: price(1, 2), bad: price(-1, 2) });
  await expect(at.models.getByRole('alert')).toContainText('"bad" is ignored');
  await at.price('Input', 'a').click();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: /unreadable entries/ });
  await expect(question).toBeVisible();
  await page.goBack();
  await expect(at.notifications).toContainText('set “a” to $5.00 for input.');
  await page.goForward();
  await expect(question).toBeVisible();
  await expect(at.notifications).not.toContainText('was to cost');
  // One that nobody needs any more goes; the edit does not.
  await writeModels(served, { a: price(1, 2), bad: price(1, 2) });
  await expect(question).toHaveCount(0);
  await expect(notices).toContainText('set “a” to $5.00 for input');
  await notices.getByRole('button', { name: 'Apply to the new version' }).click();
  await expect.poll(() => readModels(served)).toEqual({ a: price(5, 2), bad: price(1, 2) });
});

test('calculates what a call costs, live and by keyboard', async ({ page, served, source }) => {
  await writeModels(served, { 'gpt-5': price(2.5, 10), free: price(0, 0) });
  const { calculator } = await openPricing(page, served);
  await tabTo(page, calculator.getByRole('combobox', { name: 'Model' }));
  await page.keyboard.type('gpt-5');
  await tabTo(page, calculator.getByRole('textbox', { name: 'Input tokens' }));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('200k');
  await tabTo(page, calculator.getByRole('textbox', { name: 'Output tokens' }));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('5,000');
  const result = calculator.getByRole('status', { name: 'Cost' });
  // 0.50 and 0.05 USD at 64,000 USD a BTC.
  await expect(result).toContainText('781.3 sat$0.50');
  await expect(result).toContainText('Total859.4 sat$0.55');
  await expect(result).toContainText('860 sat, rounded up');
  await refreshTo(served, source, 65_000);
  await expect(result).toContainText('846.2 sat');
  await calculator.getByRole('textbox', { name: 'Output tokens' }).fill('many');
  await expect(calculator).toContainText('Enter a whole number of tokens.');
  await calculator.getByRole('combobox', { name: 'Model' }).fill('gpt-6');
  await expect(calculator).toContainText('No model has this name.');
});
