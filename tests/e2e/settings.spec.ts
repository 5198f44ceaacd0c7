import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { freePort } from '../support/free-port.ts';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { expect, type Served, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

const backgroundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** A second root beside the first, and the page with its first root chosen in the settings. */
const openWithTwoRoots = async (page: Page, served: Served) => {
  const other = join(served.directory, 'other-root');
  await plant(other, { ...SMALL_ROOT, 'agents/from-other/SYSTEM.md': 'o' });
  await page.goto(served.pageAt('/settings'));
  await expect(field(page, 'Root directory')).toBeVisible();
  return other;
};

test.describe('settings that the environment leaves alone', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('another root is chosen, and the page switches to its agents', async ({ page, served }) => {
    const other = await openWithTwoRoots(page, served);
    await field(page, 'Root directory').fill('/does/not/exist');
    await page.getByRole('button', { name: 'Save Root directory' }).click();
    await expect(page.getByText(/The directory "\/does\/not\/exist" does not exist/)).toBeVisible();
    await field(page, 'Root directory').fill(other);
    await page.getByRole('button', { name: 'Save Root directory' }).click();
    await expect(page.getByText('Root directory saved')).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect(page.getByRole('option', { name: 'from-other' })).toBeVisible();
    await expect(page.getByText('Connected')).toBeAttached();
    expect(JSON.parse(await readFile(join(served.directory, 'data/settings.json'), 'utf8'))).toEqual({
      root: other,
    });
  });

  test('another root by keyboard alone, and back to the starter root', async ({ page, served }) => {
    const other = await openWithTwoRoots(page, served);
    await tabTo(page, field(page, 'Root directory'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(other);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Root directory saved')).toBeVisible();
    await expect(field(page, 'Root directory')).toBeFocused();
    await expect(field(page, 'Root directory')).toHaveValue(other);
    await expect(page.getByText('Connected')).toBeAttached();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Use default for Root directory' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(field(page, 'Root directory')).toHaveValue(join(served.directory, 'data/dot-mi-root'));
  });

  test('unsaved text blocks a change of the root, since it belongs to this one', async ({ page, served }) => {
    const other = await openWithTwoRoots(page, served);
    await page
      .getByRole('button', { name: 'Look around first' })
      .or(page.getByRole('main'))
      .first()
      .waitFor();
    await field(page, 'Root directory').fill(other);
    await page.getByRole('button', { name: 'Save Root directory' }).click();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('option', { name: 'from-other' }).click();
    await page.getByRole('textbox', { name: /SYSTEM.md/ }).fill('typed');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /keep draft/ })
      .click();
    await field(page, 'Root directory').fill('/tmp');
    await expect(page.getByText(/You have unsaved text in from-other/).first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save Root directory' })).toBeDisabled();
  });

  test('the page clearly reports a root that disappears, and offers to choose another', async ({
    page,
    served,
  }) => {
    const other = await openWithTwoRoots(page, served);
    await field(page, 'Root directory').fill(other);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Root directory saved')).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect(page.getByRole('option', { name: 'from-other' })).toBeVisible();
    await rename(other, `${other}-gone`);
    await page.getByRole('link', { name: 'Choose another root' }).click();
    await expect(field(page, 'Root directory')).toHaveValue(other);
    await field(page, 'Root directory').fill(`${other}-gone`);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Root directory saved').first()).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect(page.getByRole('option', { name: 'from-other' })).toBeVisible();
  });
});

test('test money ends only after a warning that the money will be real, by mouse and by keyboard', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings'));
  const devMode = page.getByRole('switch', { name: 'Test money' });
  await devMode.click();
  const question = page.getByRole('alertdialog', { name: 'Use real money?' });
  await question.getByRole('button', { name: 'Keep test money' }).click();
  await expect(devMode).toBeChecked();
  await expect(devMode).toBeFocused();
  await page.keyboard.press('Space');
  await expect(question.getByRole('button', { name: 'Keep test money' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Test money saved')).toBeVisible();
  await expect(devMode).not.toBeChecked();
  await expect(page.getByTitle('Tokens aren’t checked')).toHaveCount(0);
  await devMode.click();
  await expect(devMode).toBeChecked();
  await expect(page.getByTitle('Tokens aren’t checked')).toBeVisible();
});

test('settings from the environment are shown with their variables and cannot be changed', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings'));
  await expect(field(page, 'Root directory')).toHaveValue(served.root);
  await expect(field(page, 'Root directory')).toBeDisabled();
  await expect(page.getByText(/Set by DOT_MI_ROOT in the environment/)).toBeVisible();
  await expect(field(page, 'Port')).toBeDisabled();
  await expect(page.getByText(/Set by PORT in the environment/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save Root directory' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Desktop' })).toHaveCount(0);
});

test('a wrong mint gets the same error as at the start, a right one is saved, and what is typed in other fields stays', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings'));
  await field(page, 'Mint').fill('ftp://mint.example');
  await field(page, 'Mint').press('Enter');
  await expect(page.getByText(/MINT_URL is .*, but it must be an http or https URL/)).toBeVisible();
  await field(page, 'Price interval').fill('soon');
  await expect(page.getByText('Enter a whole number.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save Price interval' })).toBeDisabled();
  await field(page, 'Price interval').fill('0');
  await page.getByRole('button', { name: 'Save Price interval' }).click();
  await expect(
    page.getByText('Enter at least 30 seconds, so that the price sources keep answering.'),
  ).toBeVisible();
  await field(page, 'Price interval').fill('120');
  await page.getByRole('button', { name: 'Save Price interval' }).click();
  await expect(page.getByText('Price interval saved')).toBeVisible();
  await expect(field(page, 'Price interval')).toHaveValue('120');
  // Another window, or a program, changes the settings meanwhile.
  await field(page, 'Price interval').fill('60');
  await expect(page.getByText('Connected')).toBeAttached();
  const token = new URL(served.pageUrl).hash.slice('#token='.length);
  await page.request.put(`${served.url}/api/settings`, {
    headers: { Authorization: `Bearer ${token}` },
    data: { mintUrl: 'https://theirs.example' },
  });
  await expect(page.getByRole('button', { name: 'Use default for Mint' })).toBeVisible();
  await expect(field(page, 'Mint')).toHaveValue('ftp://mint.example');
  await expect(field(page, 'Price interval')).toHaveValue('60');
  await expect(page.getByText('Connected')).toBeAttached();
  await field(page, 'Mint').fill('https://mint.example/Bitcoin');
  await field(page, 'Mint').press('Enter');
  await expect(page.getByText('Mint saved')).toBeVisible();
  const kept = await readFile(join(served.directory, 'data/settings.json'), 'utf8');
  expect(JSON.parse(kept)).toMatchObject({ mintUrl: 'https://mint.example/Bitcoin' });
  await expect(field(page, 'Price interval')).toHaveValue('60');
});

test('leaving with typed settings asks nothing, keeps them, and marks the settings', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings'));
  const settings = page.getByRole('link', { name: 'Settings' });
  await field(page, 'Mint').fill('https://mint.example');
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(page).toHaveURL(`${served.url}/catalog`);
  await expect(settings).toContainText('unsaved');
  await page.reload();
  await settings.click();
  await expect(field(page, 'Mint')).toHaveValue('https://mint.example');
});

test('without the token the server’s settings say how to get one, and the theme can still be chosen', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/settings`);
  await expect(page.getByText('Sign in to this dot-mi')).toBeVisible();
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeVisible();
});

test('the theme is chosen by mouse and by keyboard, at once, in every tab and after a reload', async ({
  page,
  served,
  context,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(served.pageAt('/settings'));
  const light = await backgroundOf(page);
  const other = await context.newPage();
  await other.goto(served.url);
  await page.getByRole('radio', { name: 'Dark' }).click();
  const dark = await backgroundOf(page);
  expect(dark).not.toBe(light);
  await expect.poll(() => backgroundOf(other)).toBe(dark);
  await page.reload();
  expect(await backgroundOf(page)).toBe(dark);
  await tabTo(page, page.getByRole('radio', { name: 'Dark' }));
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await backgroundOf(page)).toBe(light);
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
  expect(await backgroundOf(page)).toBe(dark);
});

test.describe('another port', () => {
  test.use({ environment: { PORT: '' } });

  test('the server moves, and the page follows with its token', async ({ page, served }) => {
    const port = await freePort();
    await page.goto(served.pageAt('/settings'));
    await field(page, 'Port').fill('99999');
    await field(page, 'Port').press('Enter');
    await expect(page.getByText(/PORT is .*, but it must be a whole number/)).toBeVisible();
    await field(page, 'Port').fill(String(port));
    await field(page, 'Port').press('Enter');
    // Whoever goes on meanwhile is followed.
    await expect(page.getByText(`dot-mi is moving to http://127.0.0.1:${port}.`)).toBeVisible();
    await page.getByRole('link', { name: 'Catalog' }).click();
    await expect(page).toHaveURL(`http://127.0.0.1:${port}/catalog`);
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect(field(page, 'Port')).toHaveValue(String(port));
  });
});

test.describe('in the desktop', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('a directory can be chosen, and its preferences are offered', async ({ page, served }) => {
    // Stands in for the preload of the desktop's window.
    await page.addInitScript(
      ([token, chosen]) => {
        const notifications = { payments: true, attention: true, mint: true, updates: true };
        const preferences = { closeToTray: false, startAtLogin: true, checkForUpdates: false, notifications };
        Object.assign(window, {
          dotMiDesktop: {
            version: '1',
            pageToken: async () => token,
            chooseFolder: async () => chosen,
            openDataFolder: async () => {
              if ('opened' in window) throw new Error('no file manager');
              Object.assign(window, { opened: true });
            },
            readPreferences: async () => preferences,
            writePreferences: async (next: typeof preferences) => void Object.assign(preferences, next),
            reveal: async (place: unknown) => void Object.assign(window, { revealed: place }),
            openInEditor: async (place: unknown) => {
              if ('edited' in window) throw new Error('no editor');
              Object.assign(window, { edited: place });
            },
          },
        });
      },
      [new URL(served.pageUrl).hash.slice('#token='.length), served.root],
    );
    await page.goto(`${served.url}/settings`);
    await page.getByRole('button', { name: 'Choose…' }).click();
    await expect(field(page, 'Root directory')).toHaveValue(served.root);
    await page.getByRole('button', { name: 'Save Root directory' }).click();
    await expect(page.getByText('Root directory saved')).toBeVisible();
    await expect(page.getByRole('switch', { name: 'Start at login' })).toBeChecked();
    await page.getByRole('switch', { name: 'Close to tray' }).click();
    await expect(page.getByRole('switch', { name: 'Close to tray' })).toBeChecked();
    const openFolder = page.getByRole('button', { name: 'Open data folder' });
    const refusal = page.getByText('The folder didn’t open');
    await openFolder.click();
    expect(await page.evaluate(() => 'opened' in window)).toBe(true);
    await expect(refusal).toHaveCount(0);
    await openFolder.click();
    await expect(refusal.first()).toBeVisible();
    await page.goto(`${served.url}/agents/scout/files/SYSTEM.md`);
    await page.getByRole('button', { name: 'More actions for scout' }).click();
    await page.getByRole('menuitem', { name: 'Reveal in folder' }).click();
    expect(await page.evaluate(() => (window as unknown as { revealed: unknown }).revealed)).toEqual({
      agent: 'scout',
      file: 'SYSTEM.md',
    });
    const openInEditor = async () => {
      await page.getByRole('button', { name: 'More actions for scout' }).click();
      await page.getByRole('menuitem', { name: 'Open SYSTEM.md in editor' }).click();
    };
    await openInEditor();
    expect(await page.evaluate(() => (window as unknown as { edited: unknown }).edited)).toEqual({
      agent: 'scout',
      file: 'SYSTEM.md',
    });
    await openInEditor();
    await expect(page.getByText('dot-mi couldn’t open that').first()).toBeVisible();
  });

  test('features that the system lacks are disabled or explained', async ({ page, served }) => {
    await page.addInitScript((token) => {
      const notifications = { payments: true, attention: true, mint: true, updates: true };
      const preferences = { closeToTray: true, startAtLogin: false, checkForUpdates: false, notifications };
      Object.assign(window, {
        dotMiDesktop: {
          version: '1',
          pageToken: async () => token,
          readPreferences: async () => preferences,
          writePreferences: async (next: typeof preferences) => void Object.assign(preferences, next),
          readLimits: async () => ({ hasNoTray: true, hasNoLinks: true, hasNoNotifications: true }),
        },
      });
    }, new URL(served.pageUrl).hash.slice('#token='.length));
    await page.goto(`${served.url}/settings`);
    const tray = page.getByRole('switch', { name: 'Close to tray' });
    await expect(tray).toBeDisabled();
    await expect(tray).not.toBeChecked();
    await expect(tray).toHaveAccessibleDescription(/^Your desktop has no tray/);
    await expect(page.getByText('cashu: links don’t open here')).toBeVisible();
    await expect(page.getByText('This system doesn’t show notifications.')).toBeVisible();
    await expect(page.getByRole('switch', { name: 'Payment received' })).toBeDisabled();
    // The choice stays, for a desktop that has a tray later.
    await page.getByRole('switch', { name: 'Start at login' }).click();
    expect(
      await page.evaluate(() =>
        (
          window as unknown as { dotMiDesktop: { readPreferences(): Promise<unknown> } }
        ).dotMiDesktop.readPreferences(),
      ),
    ).toMatchObject({ closeToTray: true, startAtLogin: true });
  });
});
