import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { editor } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { type How, tabTo } from './keyboard.ts';

test.describe('the first run', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('starts inside a sample agent by keyboard, and its first steps tick once they are done', {
    tag: '@smoke',
  }, async ({ page, context, served }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
    await page.goto(served.pageUrl);
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
    await expect(page.getByText(join(served.directory, 'data', 'dot-mi-root'))).toBeVisible();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Start with three sample agents' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${served.url}/agents/scout/files/SYSTEM.md`);
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();

    const steps = page.getByRole('region', { name: 'First steps with scout' });
    await expect(steps.getByRole('listitem')).toHaveText([
      'Choose its model',
      'Edit its prompt',
      'Give it a skill',
      'Copy its run command',
      'Get paid',
    ]);
    await expect(editor(page)).toBeVisible();
    await editor(page).fill('You look around.\n');
    await page.keyboard.press('ControlOrMeta+s');
    await expect(steps.getByRole('link', { name: 'Edit its prompt (done)' })).toBeVisible();
    await steps.getByRole('link', { name: 'Give it a skill' }).click();
    await page.getByRole('button', { name: 'Link btc-price', exact: true }).click();
    await expect(steps.getByRole('link', { name: 'Give it a skill (done)' })).toBeVisible();

    await steps.getByRole('button', { name: 'Copy its run command' }).click();
    await expect(steps.getByRole('button', { name: 'Copied the run command' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('agents/scout');

    // A reload neither asks for a root again nor forgets the steps, and the person ends them.
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toHaveCount(0);
    await expect(steps.getByRole('listitem').filter({ hasText: '(done)' })).toHaveCount(3);
    await page.getByRole('option', { name: /writer/ }).click();
    await expect(page.getByRole('heading', { name: 'writer' })).toBeVisible();
    await expect(page.getByText('First steps')).toHaveCount(0);
    await page.getByRole('option', { name: /scout/ }).click();
    await steps.getByRole('button', { name: 'Dismiss first steps' }).click();
    await expect(steps).toHaveCount(0);
    await expect(page.locator('body')).not.toBeFocused();
  });

  for (const how of ['by mouse', 'by keys'] satisfies How[]) {
    test(`chooses an existing root, ${how}, and says what is wrong with a path`, async ({ page, served }) => {
      const mine = join(served.directory, 'my agents');
      await plant(mine, { ...SMALL_ROOT, 'agents/mine/SYSTEM.md': 'm' });
      // A usual place, which is found without typing.
      await plant(join(served.directory, 'dot-mi'), { 'agents/a': null, 'agents/b': null });
      await page.goto(served.pageUrl);
      await expect(page.getByRole('heading', { name: 'Welcome to dot-mi' })).toBeVisible();
      const found = page.getByRole('list', { name: 'Folders with agents' });
      await expect(found.getByRole('listitem')).toContainText([join(served.directory, 'dot-mi')]);
      await expect(found).toContainText('2 agents');
      const root = page.getByLabel('Folder', { exact: true });
      const use = async (path: string) => {
        if (how === 'by mouse') {
          await root.fill(path);
          return page.getByRole('button', { name: 'Open folder' }).click();
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
    await page.getByLabel('Folder', { exact: true }).fill(empty);
    await page.getByRole('button', { name: 'Open folder' }).click();
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
    const use = page.getByRole('button', { name: 'Start with three sample agents' });
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
    await expect(page.getByRole('alert').getByText(lastError)).toBeVisible();
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
    await expect(page.getByRole('link', { name: 'writer', exact: true })).toBeVisible();
    // Over the page that is open: its token ends the waiting.
    await page.goto(served.pageUrl);
    await expect(page.getByRole('option', { name: /writer/ })).toBeVisible();
  });
});
