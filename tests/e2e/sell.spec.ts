import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { freePort } from '../support/free-port.ts';
import { plant } from '../support/plant.ts';
import { violationsInBothThemes } from './axe.ts';
import { expect } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { addressOf, buy, openSell, sellPage, soldArgs, sellTest as test } from './sell-page.ts';
import { asOperator, walletPage } from './wallet-page.ts';

/** The rows of the history with this heading and a text in them. */
const rowsOf = (page: Page) => {
  const { rows } = walletPage(page);
  return (heading: string, text: string) =>
    rows
      .filter({ has: page.getByRole('heading', { name: heading, exact: true, includeHidden: true }) })
      .filter({ hasText: text });
};

const limits = (page: Page) => page.getByRole('button', { name: 'Limits and address' });

/** Types a port that no other test takes. */
const usePort = async (page: Page, port?: number) => {
  await limits(page).click();
  await page.getByLabel('Port').fill(String(port ?? (await freePort())));
};

test('an agent is priced, sold and stopped by keyboard, and a stranger buys from it', {
  tag: '@smoke',
}, async ({ page, served, mint }) => {
  await openSell(page, served, 'translator');
  const { preview, sell, stop, apply, service, sales, margin } = sellPage(page);
  await expect(preview).toContainText(
    'A customer pays 107 sat in advance and gets back what the request doesn’t use.',
  );
  await expect(preview).toContainText('An answer of 300 model tokens costs about 17 sat.');
  await expect(preview).toContainText(/Costs youusually 1\d sat, at most [\d,]+ sat/);
  await expect(preview).toContainText('claude-opus-5');
  await tabTo(page, margin);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('100');
  await expect(preview).toContainText(
    'A customer pays 164 sat in advance and gets back what the request doesn’t use.',
  );
  await tabTo(page, limits(page));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByLabel('Port'));
  await page.keyboard.type(String(await freePort()));
  await tabTo(page, sell);
  await page.keyboard.press('Enter');
  await expect(service).toContainText('Customers can buy');
  await expect(apply).toBeDisabled();
  await expect(apply).toBeFocused();
  const url = await addressOf(page);
  await expect(service).toContainText(`curl -i ${url}`);
  expect((await buy(url, mint)).outcome).toBe('bought');
  await expect(sales.getByRole('listitem')).toContainText(['Sold3 sat108 in, 10 out']);
  await expect(page.getByRole('region', { name: 'Latest requests' })).toContainText(
    'Sold1Earned3 satRefundednoneModel cost≈ 1.2 sat',
  );
  await expect(page.getByRole('list', { name: 'About translator' })).toContainText('For sale');

  await page.getByRole('link', { name: 'Activity' }).click();
  const sums = page.getByRole('region', { name: 'Sales' });
  await expect(sums.getByRole('row').nth(1)).toContainText('3 sat≈ 1.2 sat≈ 1.8 sat');

  await page.getByRole('link', { name: 'Wallet' }).click();
  const row = rowsOf(page);
  await expect(row('Change from a sale', 'translator')).toHaveCount(1);
  await expect(
    row('Change from a sale', 'translator').getByRole('button', { name: 'Take back' }),
  ).toHaveCount(0);
  await row('Sale', '+159 sat')
    .getByRole('button', { name: /^Details of Sale/ })
    .press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Sale', exact: true });
  await expect(sheet).toContainText('Charged3 sat');
  await expect(sheet).toContainText('Margin100%');
  await page.keyboard.press('Escape');
  await expect(row('Sale', '+159 sat').getByRole('button', { name: /^Details of Sale/ })).toBeFocused();

  await openSell(page, served, 'translator');
  await tabTo(page, stop);
  await page.keyboard.press('Enter');
  await expect(service).toHaveCount(0);
  await expect(page.locator('body')).not.toBeFocused();
  await expect(fetch(url)).rejects.toThrow();
  // The terms stay.
  await expect(margin).toHaveValue('100');
});

test('the session of a customer’s request is deleted for good, after a question', async ({
  page,
  served,
  mint,
}) => {
  await plant(served.root, { 'agents/translator/pi-args': soldArgs('record') });
  await openSell(page, served, 'translator');
  const { sell, service } = sellPage(page);
  await page.getByRole('button', { name: 'Flat price' }).click();
  await page.getByLabel('Price for a request, in sats').fill('7');
  await usePort(page);
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  expect((await buy(await addressOf(page), mint)).outcome).toBe('bought');

  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Sessions of translator' })).toContainText('Good morningsale');
  const remove = page.getByRole('button', { name: 'Delete session: Good morning' });
  const question = page.getByRole('alertdialog', { name: 'Delete Good morning for good?' });
  await remove.click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await remove.click();
  await question.getByRole('button', { name: 'Delete for good' }).click();
  await expect(page.getByText('Deleted Good morning')).toBeVisible();
  await expect(page.getByText('No sessions yet')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);
});

test('a running service takes other terms, and starts again with dot-mi if its owner says so', async ({
  page,
  served,
}) => {
  await openSell(page, served, 'translator');
  const { preview, sell, apply, service } = sellPage(page);
  await page.getByRole('button', { name: 'Flat price' }).click();
  await page.getByLabel('Price for a request, in sats').fill('0');
  await expect(page.getByText('Enter a whole number of sats from 1 to 1,000,000.')).toBeVisible();
  await expect(sell).toBeDisabled();
  await expect(sell).toHaveAccessibleDescription('Correct “Price for a request, in sats” first.');
  await page.getByLabel('Price for a request, in sats').fill('7');
  await expect(preview).toContainText('A customer pays 7 sat for each request');
  // A flat price can be below the cost.
  await expect(preview.getByText(/^usually 1\d sat, at most/)).toHaveClass(/text-warn/);
  await usePort(page);
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  const url = await addressOf(page);
  expect(await (await fetch(url)).json()).toMatchObject({ price: { perRequest: 8 } });
  await page.getByLabel('Price for a request, in sats').fill('9');
  await page.getByLabel('One-sentence description for customers').fill('German, and nothing else.');
  // What is typed waits while another agent is looked at.
  await page.getByRole('option', { name: /^writer/ }).click();
  await expect(page.getByRole('heading', { name: 'writer', exact: true })).toBeVisible();
  await page.getByRole('option', { name: /^translator/ }).click();
  await page.getByRole('main').getByRole('link', { name: 'Sell', exact: true }).click();
  await expect(page.getByLabel('Price for a request, in sats')).toHaveValue('9');
  await expect(page.getByLabel('One-sentence description for customers')).toHaveValue(
    'German, and nothing else.',
  );
  await page.getByRole('checkbox', { name: 'Start selling when dot-mi starts' }).check();
  await apply.click();
  await expect(apply).toBeDisabled();
  expect(await addressOf(page)).toBe(url);
  // With what the token's own fee costs.
  const next = { price: { perRequest: 10 }, description: 'German, and nothing else.' };
  expect(await (await fetch(url)).json()).toMatchObject(next);
  await served.kill();
  await served.startAgain();
  await expect
    .poll(() =>
      fetch(url).then(
        (answer) => answer.json(),
        () => undefined,
      ),
    )
    .toMatchObject(next);
});

test('paid work that fails is refunded, and only the owner sees why', async ({ page, served, mint }) => {
  await asOperator(served, 'receive', { token: mint.issue(64, { withoutDleq: true }) });
  await openSell(page, served, 'failing');
  const { sell, service, sales } = sellPage(page);
  await usePort(page);
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  const bought = await buy(await addressOf(page), mint);
  expect(bought).toMatchObject({ outcome: 'refused', status: 502 });
  expect(JSON.stringify(bought.body)).not.toContain('no credit');
  await expect(sales).toContainText('Refunded');
  await expect(sales).toContainText('The customer saw 502: The model failed. Your payment is refunded.');
  await sales.getByText('Details for you').press('Enter');
  await expect(sales.getByText('no credit')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.getByRole('link', { name: 'Wallet' }).click();
  await expect(rowsOf(page)('Refund of a sale', 'failing')).toHaveCount(1);
});

test.describe('an agent whose provider reports no usage', () => {
  test.use({
    tree: {
      'agents/local/SYSTEM.md': 'You answer.\n',
      'agents/local/pi-args': soldArgs('uncounted'),
    },
  });

  test('is sold by an estimate, and its owner is asked to compare the bill', async ({
    page,
    served,
    mint,
  }) => {
    await openSell(page, served, 'local');
    const { sell, service, sales } = sellPage(page);
    await usePort(page);
    await sell.click();
    await expect(service).toContainText('Customers can buy');
    expect(await buy(await addressOf(page), mint)).toMatchObject({ outcome: 'bought' });
    await expect(sales).toContainText('≈ ');
    await expect(
      page.getByText(
        'Your provider reported no usage for 1 request below, so dot-mi estimated the model tokens (≈). Compare the price with the provider’s bill.',
      ),
    ).toBeVisible();
    expect(await violationsInBothThemes(page)).toEqual([]);
  });
});

test.describe('an agent that never responds', () => {
  test.use({ tree: { 'agents/slow/SYSTEM.md': 'You wait.\n', 'agents/slow/pi-args': soldArgs('hang') } });

  test('holds what the customer paid, and gives it back once its owner sells it again', async ({
    page,
    served,
    mint,
  }) => {
    await asOperator(served, 'receive', { token: mint.issue(64, { withoutDleq: true }) });
    await openSell(page, served, 'slow');
    const { sell, service } = sellPage(page);
    await page.getByRole('button', { name: 'Flat price' }).click();
    await usePort(page);
    await sell.click();
    await expect(service).toContainText('Customers can buy');
    const bought = buy(await addressOf(page), mint);
    await page.getByRole('link', { name: 'Wallet' }).click();
    const { balance } = walletPage(page);
    const row = rowsOf(page);
    await expect(balance).toContainText('10 sat of the balance belong to customers');
    await expect(row('Sale', 'not done yet')).toHaveCount(1);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stop selling');
    await page.getByRole('option', { name: /Stop selling slow/ }).click();
    await expect(page.getByText('slow is no longer for sale')).toBeVisible();
    await bought.catch(() => undefined);
    await openSell(page, served, 'slow');
    await sell.click();
    await expect(service).toContainText('Customers can buy');
    await page.getByRole('link', { name: 'Wallet' }).click();
    await expect(row('Refund of a sale', 'slow')).toHaveCount(1);
    await expect(row('Sale', 'refunded')).toHaveCount(1);
    await expect(balance).not.toContainText('belong to customers');
  });
});

test('an agent with tools is sold without them, or after its owner accepts what they allow', async ({
  page,
  served,
}) => {
  await openSell(page, served, 'writer');
  const { preview, sell, stop, question, service } = sellPage(page);
  await expect(preview).toContainText('read, bash, edit, write');
  await usePort(page);
  await sell.click();
  await expect(question).toContainText('Run any program as you');
  expect(await violationsInBothThemes(page)).toEqual([]);
  const accepted = question.getByRole('button', { name: 'Sell with these tools' });
  await expect(accepted).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(service).toHaveCount(0);

  await sell.click();
  await question.getByRole('checkbox').check();
  await accepted.click();
  await expect(service).toContainText('Customers can buy');
  expect(await readFile(served.agent('writer/pi-args'), 'utf8')).not.toContain('--no-tools');
  await stop.click();

  await sell.click();
  // A new question is answered anew.
  await expect(accepted).toBeDisabled();
  await question.getByRole('button', { name: 'Sell without tools' }).click();
  await expect(service).toContainText('Customers can buy');
  await expect(preview).toContainText('Toolsnone');
  expect(await readFile(served.agent('writer/pi-args'), 'utf8')).toBe(
    '--model\nclaude-opus-5\n--behave\necho\n--no-tools\n',
  );
});

/** Asks the API as the operator. */
const ask = async ({ url, pageUrl }: { url: string; pageUrl: string }, method: string, path: string) => {
  const token = new URLSearchParams(new URL(pageUrl).hash.slice(1)).get('token');
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  });
  expect([path, response.ok]).toEqual([path, true]);
  return response.json();
};

test('a service that closes says why and since when, and opens again', async ({ page, served }) => {
  await openSell(page, served, 'translator');
  const { sell, service, stop } = sellPage(page);
  await usePort(page);
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  await ask(served, 'DELETE', '/root/trust');
  const closed = page.getByRole('region', { name: 'Closed for now' });
  await expect(closed).toContainText('This root isn’t trusted yet.');
  await expect(closed).toContainText('Closed since just now. dot-mi tries again at');
  await expect(page.getByRole('list', { name: 'About translator' })).toContainText('Closed for now');
  await expect(stop).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await sell.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Trust and sell' }).click();
  await expect(service).toContainText('Customers can buy');
  await expect(closed).toHaveCount(0);
});

test('a prepaid key is blocked at its sale, and unblocked', async ({ page, served, mint }) => {
  await openSell(page, served, 'translator');
  const { sell, service, sales } = sellPage(page);
  await page.getByRole('button', { name: 'Flat price' }).click();
  await usePort(page);
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  const url = await addressOf(page);
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const deposit = { cashu_token: mint.issue(64, { withoutDleq: true }) };
  const { api_key: key } = await (await post('/v1/balance/create', {}, deposit)).json();
  const work = async () => (await post('/', { Authorization: `Bearer ${key}` }, { prompt: 'Hi' })).status;
  expect(await work()).toBe(200);
  const row = sales.getByRole('listitem');
  await row.getByRole('button', { name: 'Block key' }).click();
  await expect(row).toContainText('Blocked');
  expect(await work()).toBe(403);
  expect(await violationsInBothThemes(page)).toEqual([]);
  await row.getByRole('button', { name: 'Unblock key' }).click();
  await expect(row.getByRole('button', { name: 'Block key', exact: true })).toBeFocused();
  expect(await work()).toBe(200);
});

test('an agent without a model leads to a choice of models and the prices, or gets a flat price', async ({
  page,
  served,
}) => {
  await openSell(page, served, 'scout');
  const { preview } = sellPage(page);
  await expect(preview).toContainText('None of this agent’s files names a model');
  await expect(preview.getByRole('link', { name: 'Add a model price' })).toHaveAttribute('href', '/pricing');
  await preview.getByRole('button', { name: 'Choose a model' }).click();
  await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused();
  await page.keyboard.press('Escape');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await preview.getByRole('button', { name: 'Set a flat price' }).click();
  await expect(preview).toContainText('A customer pays 10 sat for each request');
});

test('a port that another program uses is named at its field', async ({ page, served }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await openSell(page, served, 'translator');
  const { sell, service } = sellPage(page);
  await usePort(page, port);
  await limits(page).click();
  await sell.click();
  await expect(page.getByLabel('Port')).toHaveAccessibleDescription(
    `Another program uses port ${port}. Choose another one.`,
  );
  await page.getByLabel('Port').fill(String(await freePort()));
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  other.close();
});

test.describe('an untrusted root', () => {
  test.use({ trusted: false });

  test('is trusted on the way', async ({ page, served }) => {
    await openSell(page, served, 'translator');
    const { sell, service } = sellPage(page);
    await usePort(page);
    await sell.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Trust and sell' }).click();
    await expect(service).toContainText('Customers can buy');
  });
});

test('an agent is sold for test money, and a token from the wallet pays', async ({ page, served }) => {
  await served.kill();
  await served.startAgain({ DEV_MODE: 'true' });
  await openSell(page, served, 'translator');
  await expect(page.getByText('Customers pay with test money')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open the wallet', exact: true })).toHaveAttribute(
    'href',
    '/wallet',
  );
  await page.getByRole('button', { name: 'Flat price' }).click();
  await page.getByLabel('Price for a request, in sats').fill('5');
  await usePort(page);
  const { sell, service, sales } = sellPage(page);
  await sell.click();
  await expect(service).toContainText('Customers can buy');
  // From the window alone, by keyboard.
  await tabTo(page, page.getByLabel('Your request'));
  await page.keyboard.type('Good evening');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const own = page.getByRole('form', { name: 'Buy it yourself' });
  await expect(own.getByRole('status')).toContainText('Good evening');
  await expect(own.getByRole('status')).toContainText('You paid 5 sat.');
  await expect(sales.getByRole('listitem')).toContainText('5 sat');
  const { token } = await asOperator<{ token: string }>(served, 'test-tokens', { amount: 8 });
  const bought = await page.request.post(await addressOf(page), {
    headers: { 'X-Cashu': token },
    data: { prompt: 'Good morning' },
  });
  expect(await bought.json()).toMatchObject({ charged: 5 });
  await expect(sales.getByRole('listitem')).toHaveCount(2);
});

test('without a BTC price, the Sell tab asks for one and says why nothing is sold', async ({
  page,
  served,
  source,
}) => {
  await served.kill();
  await rm(join(served.root, '..', 'data', 'btc_price_history.jsonl'), { force: true });
  source.price = null;
  await served.startAgain();
  await openSell(page, served, 'translator');
  const { preview, sell } = sellPage(page);
  await expect(preview.getByRole('alert')).toHaveText('There is no BTC price yet.');
  await expect(sell).toBeDisabled();
  await expect(sell).toHaveAccessibleDescription('There is no BTC price yet.');
  const again = preview.getByRole('button', { name: 'Try again' });
  await tabTo(page, again);
  await page.keyboard.press('Enter');
  await expect(preview.getByRole('alert')).toHaveText('No source returned a BTC price.');
  await expect(preview.getByRole('link', { name: 'Change sources' })).toHaveAttribute(
    'href',
    '/settings/pricing',
  );
  expect(await violationsInBothThemes(page)).toEqual([]);
  source.price = 64_000;
  await again.press('Enter');
  await expect(preview).toContainText('A customer pays 107 sat in advance');
  await expect(sell).toBeEnabled();
  await expect(page.locator('body')).not.toBeFocused();
});

for (const width of [390, 1_600])
  test(`a service with a sale fits a window of ${width} px`, async ({ page, served, mint }) => {
    await page.setViewportSize({ width, height: 844 });
    await openSell(page, served, 'translator');
    const { sell, service, sales } = sellPage(page);
    await usePort(page);
    await sell.click();
    await expect(service).toContainText('Customers can buy');
    await buy(await addressOf(page), mint);
    await expect(sales).toContainText('Sold');
    const isWide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('main, main *')]
          .filter((part) => /auto|scroll/.test(getComputedStyle(part).overflowX))
          .filter((part) => part.scrollWidth > part.clientWidth && part.closest('nav') === null)
          .map((part) => part.className),
      );
    expect(await isWide()).toEqual([]);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.goto(served.pageAt('/agents/translator/activity'));
    await expect(page.getByRole('region', { name: 'Sales' })).toBeVisible();
    expect(await isWide()).toEqual([]);
    await page.goto(served.pageAt('/wallet'));
    await rowsOf(page)('Sale', 'translator')
      .getByRole('button', { name: /^Details/ })
      .click();
    await expect(page.getByText('How the price was calculated')).toBeVisible();
    expect(await violationsInBothThemes(page)).toEqual([]);
  });

test('the Sell tab asks about what an agent loads, shows what changed since, and sells that with one press', async ({
  page,
  served,
  mint,
}) => {
  await plant(served.root, { 'agents/translator/extensions/own.ts': 'export default () => {};\n' });
  await openSell(page, served, 'translator');
  const { sell, service } = sellPage(page);
  await usePort(page);
  await sell.click();
  const question = page.getByRole('dialog', { name: 'Sell translator with what it loads?' });
  await expect(question).toContainText('extension own.ts');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await question.getByRole('checkbox').check();
  await question.getByRole('button', { name: 'Sell it anyway' }).click();
  await expect(service).toContainText('Customers can buy');
  const changed = page.getByText('translator has changed since you put it up for sale');
  await expect(changed).toHaveCount(0);

  await plant(served.root, { 'agents/translator/SYSTEM.md': 'You translate into French.\n' });
  await expect(changed).toBeVisible();
  await page.getByText('Changed agents/translator/SYSTEM.md').click();
  await expect(page.getByText('You translate into French.')).toBeVisible();
  await expect(page.getByText('You translate into German.')).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Update what is sold' }).click();
  await expect(changed).toHaveCount(0);
  expect((await buy(await addressOf(page), mint)).outcome).toBe('bought');
});
