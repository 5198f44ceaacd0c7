import { join } from 'node:path';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { expect, test } from './fixtures.ts';

test.describe('the first run', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('takes the starter root by one press, and does not ask again', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await expect(page.getByText(join(served.directory, 'data', 'dot-mi-root'))).toBeVisible();
    await page.getByRole('button', { name: 'Use the starter root' }).click();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toHaveCount(0);
  });

  test('takes a root of one’s own, by keyboard alone, and says what is wrong with a path', async ({
    page,
    served,
  }) => {
    const mine = join(served.directory, 'my agents');
    await plant(mine, { ...SMALL_ROOT, 'agents/mine/SYSTEM.md': 'm' });
    await page.goto(served.pageUrl);
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Root directory')).toBeFocused();
    await page.keyboard.type('agents');
    await page.keyboard.press('Enter');
    await expect(page.getByText('The root must be an absolute path; it is "agents".')).toBeVisible();
    await expect(page.getByLabel('Root directory')).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(mine);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option', { name: 'mine' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toHaveCount(0);
  });

  test('takes the starter root by keyboard alone', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Use the starter root' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
  });

  test('without the token it says how to get one, and lets one look around', async ({ page, served }) => {
    await page.goto(served.url);
    await expect(page.getByText(/Open the address that dot-mi printed/)).toBeVisible();
    await page.getByRole('button', { name: 'Look around first' }).click();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    // Over the page that is open: its token ends the waiting.
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
  });
});
