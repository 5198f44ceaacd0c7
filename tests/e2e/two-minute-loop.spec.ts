import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { pressOn } from './keyboard.ts';
import { pricingTest } from './pricing-page.ts';

const test = pricingTest.extend({
  environment: async ({ source }, use) => use({ BTC_PRICE_SOURCES: source.setting, DOT_MI_ROOT: '' }),
});

/** A keyboard that counts its presses. */
const countedKeys = (page: Page) => {
  let count = 0;
  return {
    count: () => count,
    press: async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
      count += keys.length;
    },
    type: async (text: string) => {
      await page.keyboard.type(text);
      count += text.length;
    },
  };
};

/** The three amounts of an agent's activity. */
const amounts = (page: Page) => page.getByRole('main').locator('dl').first();

const hasMargin = async (page: Page, sats: number): Promise<void> => {
  await expect(amounts(page)).toContainText(`Earned${sats} sat`);
  await expect(amounts(page)).toContainText('Spent0 sat');
  await expect(amounts(page)).toContainText(`Margin${sats} sat`);
};

test.describe('from an empty start', () => {
  test.use({ trusted: false });

  test('by keyboard alone, somebody new makes an agent, chooses its model by price, gets paid and sees the margin', async ({
    page,
    served,
  }, testInfo) => {
    const { press, type, count } = countedKeys(page);
    const main = page.getByRole('main');
    await page.goto(served.pageAt('/'));
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await press('Tab', 'Enter');
    await expect(page).toHaveURL(`${served.url}/agents/scout/files/SYSTEM.md`);
    await expect(main.getByRole('heading', { name: 'scout', exact: true })).toBeVisible();
    await expect(main).toBeFocused();

    await press('n');
    const dialog = page.getByRole('dialog', { name: 'New agent' });
    await expect(dialog.getByLabel('Agent id')).toBeFocused();
    await type('reviewer');
    await press('Tab');
    const model = dialog.getByRole('button', { name: /^Model/ });
    await expect(model).toBeFocused();
    await press('Enter');
    await expect(page.getByRole('combobox', { name: 'Search models' })).toBeFocused();
    await type('sonnet 5');
    const choice = page.getByRole('listbox', { name: 'Models' }).getByRole('option').first();
    await expect(choice).toContainText('claude-sonnet-5');
    await expect(choice).toContainText('3.125 sat');
    await press('Enter');
    await expect(model).toBeFocused();
    await expect(model).toContainText('claude-sonnet-5');
    await expect(model).toContainText('3.125 sat per 1,000 input tokens');
    await press('Tab', 'Tab', 'Tab', 'Tab');
    await expect(dialog.getByRole('button', { name: 'Create agent' })).toBeFocused();
    await press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/reviewer/files/SYSTEM.md`);
    await expect(dialog).toHaveCount(0);
    await expect(main).toContainText('claude-sonnet-5');
    await expect(main).toContainText('sat per call');
    const steps = page.getByRole('region', { name: 'First steps with reviewer' });
    await expect(steps.getByRole('listitem')).toHaveText([
      'Choose its model',
      'Edit its prompt',
      'Give it a skill',
      'Copy its run command',
      'Get paid',
    ]);
    await expect(main).toBeFocused();
    await expect(page.locator('[role=tooltip]')).toHaveCount(0);

    await press('ControlOrMeta+k');
    await type('get paid');
    const search = page.getByRole('dialog', { name: 'Search', exact: true });
    await expect(search.getByRole('option').first()).toContainText('Get 100 test sats for reviewer');
    await press('Enter');
    const toasts = page.getByRole('region', { name: 'Notifications' });
    const earned = toasts.getByRole('button', { name: 'See what it earned' });
    await expect(toasts).toContainText('Received 100 test sats for reviewer');
    await press('F6', 'Tab');
    await press(...((await earned.evaluate((button) => button.matches(':focus'))) ? [] : ['Tab']));
    await expect(earned).toBeFocused();
    await press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/reviewer/activity`);
    await hasMargin(page, 100);
    await expect(steps.getByRole('link', { name: 'Get paid (done)' })).toBeVisible();
    await expect(main).toBeFocused();
    testInfo.annotations.push({ type: 'keys', description: String(count()) });
    expect(count()).toBeLessThanOrEqual(44);
  });
});

test('an agent gets test sats where its earnings are, by keyboard, and the button keeps the focus', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/'));
  await pressOn(page, page.getByRole('button', { name: 'Start with three sample agents' }), 'by keys');
  const steps = page.getByRole('region', { name: 'First steps with scout' });
  await pressOn(page, steps.getByRole('link', { name: 'Get paid' }), 'by keys');
  await expect(page).toHaveURL(`${served.url}/agents/scout/activity`);
  await hasMargin(page, 0);
  const get = page.getByRole('main').getByRole('button', { name: 'Get 100 test sats' });
  await pressOn(page, get, 'by keys');
  await hasMargin(page, 100);
  await expect(get).toBeFocused();
  await page.keyboard.press('Enter');
  await hasMargin(page, 200);
  // It is on the screen already.
  await expect(page.getByRole('button', { name: 'See what it earned' })).toHaveCount(0);

  await pressOn(
    page,
    page.getByRole('main').getByRole('link', { name: 'Sell', exact: true }),
    'by keys',
    'Shift+Tab',
  );
  await expect(page).toHaveURL(`${served.url}/agents/scout/sell`);
  // Selling needs no other money: test sats from the wallet pay for a request.
  await pressOn(page, page.getByRole('main').getByRole('link', { name: 'Open the wallet' }), 'by keys');
  await expect(page).toHaveURL(`${served.url}/wallet`);
});

test('the first steps go along with the first agent that a person makes, and with no other', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/'));
  await page.getByRole('button', { name: 'Start with three sample agents' }).click();
  await expect(page.getByRole('region', { name: 'First steps with scout' })).toBeVisible();
  for (const id of ['first', 'second']) {
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByRole('dialog').getByLabel('Agent id').fill(id);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: id, exact: true })).toBeVisible();
  }
  await expect(page.getByText('First steps')).toHaveCount(0);
  await page.reload();
  await page.getByRole('option', { name: /^first/ }).click();
  await expect(page.getByRole('region', { name: 'First steps with first' })).toBeVisible();
});
