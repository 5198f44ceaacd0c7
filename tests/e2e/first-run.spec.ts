import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { expect, test } from './fixtures.ts';
import { type How, tabTo } from './keyboard.ts';

test.describe('the first run', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('chooses the starter root with one click, and does not ask again', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await expect(page.getByText(join(served.directory, 'data', 'dot-mi-root'))).toBeVisible();
    await page.getByRole('button', { name: 'Use the starter root' }).click();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    await page.reload();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toHaveCount(0);
  });

  for (const how of ['by mouse', 'by keys'] satisfies How[]) {
    test(`chooses an existing root, ${how}, and says what is wrong with a path`, async ({ page, served }) => {
      const mine = join(served.directory, 'my agents');
      await plant(mine, { ...SMALL_ROOT, 'agents/mine/SYSTEM.md': 'm' });
      await page.goto(served.pageUrl);
      await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
      const root = page.getByLabel('Root directory');
      const use = async (path: string) => {
        if (how === 'by mouse') {
          await root.fill(path);
          return page.getByRole('button', { name: 'Use this root' }).click();
        }
        await tabTo(page, root);
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type(path);
        await page.keyboard.press('Enter');
      };
      await use('agents');
      await expect(
        page.getByText('"agents" is not an absolute path. Enter the full path of the root.'),
      ).toBeVisible();
      if (how === 'by keys') await expect(root).toBeFocused();
      await use(mine);
      await expect(page.getByRole('option', { name: 'mine' })).toBeVisible();
      await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toHaveCount(0);
    });
  }

  test('says that a folder has no agents before using it, sets it up, and later adds a script that is missing', async ({
    page,
    served,
  }) => {
    const empty = join(served.directory, 'empty');
    await mkdir(empty);
    await page.goto(served.pageUrl);
    await page.getByLabel('Root directory').fill(empty);
    await page.getByRole('button', { name: 'Use this root' }).click();
    await expect(page.getByText('This folder is empty')).toBeVisible();
    await page.getByRole('button', { name: 'Set up this folder' }).click();
    await expect(page.getByRole('option', { name: /scout/ })).toBeVisible();

    await rm(join(empty, 'setup.sh'));
    await page.getByRole('button', { name: 'New agent' }).first().click();
    await page.getByLabel('Agent id').fill('courier');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('button', { name: 'Set up this folder' }).click();
    await expect(page.getByRole('option', { name: /courier/ })).toBeVisible();
  });

  test('chooses the starter root by keyboard alone', async ({ page, served }) => {
    await page.goto(served.pageUrl);
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Use the starter root' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
  });

  test('says when the server is away, reverts a root that it can’t start with, and lets the operator choose another', async ({
    page,
    served,
  }) => {
    const lastError = 'dot-mi could not start with these settings. See its log for the reason.';
    let settings: Record<string, unknown> = {};
    let hasFailed = false;
    // Stands in for a start that fails and the way back from there.
    await page.route('**/api/settings', async (route) => {
      if (hasFailed && route.request().method() === 'PUT') return route.fallback();
      if (route.request().method() === 'PUT')
        return route.fulfill({ json: { ...settings, restarting: true, url: served.url } });
      const response = await route.fetch().catch(() => null);
      if (!response) return route.abort();
      settings = { ...(await response.json()), ...(hasFailed && { lastError }) };
      await route.fulfill({ json: settings });
    });
    const connected = page.waitForResponse('**/api/events');
    await page.goto(served.pageUrl);
    await connected;
    await expect(page.getByText(join(served.directory, 'data', 'dot-mi-root'))).toBeVisible();
    const use = page.getByRole('button', { name: 'Use the starter root' });
    await expect(use).toBeVisible();
    // There is no page yet for the palette to come up on, and it does not wait for one.
    await page.keyboard.press('ControlOrMeta+k');
    await use.click();
    await expect(use).toBeDisabled();
    await served.kill();
    await expect(page.getByRole('alert').getByText(/^Offline/)).toBeVisible();
    hasFailed = true;
    await served.startAgain();
    // Another process knows no page token of the first.
    await page.goto(served.pageUrl);
    await expect(page.getByRole('alert').getByText(lastError)).toBeVisible({ timeout: 10_000 });
    await expect(use).toBeEnabled();
    await use.click();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('without the token it says how to get one, and still lets the operator look around', async ({
    page,
    served,
  }) => {
    await page.goto(served.url);
    await expect(page.getByText(/Open the link dot-mi printed/)).toBeVisible();
    await page.getByRole('button', { name: 'Look around first' }).click();
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
    // Over the page that is open: its token ends the waiting.
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
  });
});
