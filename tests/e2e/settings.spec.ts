import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { freePort } from '../support/free-port.ts';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { editor, expectText } from './editor.ts';
import { expect, type Served, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { openSettings } from './settings-page.ts';
import { walletTest } from './wallet-page.ts';

const backgroundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** A second root next to the first, and the page with its first root chosen in the settings. */
const openWithTwoRoots = async (page: Page, served: Served) => {
  const other = join(served.directory, 'other-root');
  await plant(other, { ...SMALL_ROOT, 'agents/from-other/SYSTEM.md': 'o' });
  await page.goto(served.pageAt('/settings'));
  await expect(field(page, 'Root folder')).toBeVisible();
  return other;
};

test.describe('settings that the environment leaves alone', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('another root is chosen, and each root keeps its unsaved text while another is open', async ({
    page,
    served,
  }) => {
    const other = await openWithTwoRoots(page, served);
    const starter = join(served.directory, 'data/dot-mi-root');
    // The server restarts in place, and a save during that fails.
    const isManaged = async (path: string) => {
      await expect(page.getByRole('button', { name: `Root: ${path}` })).toBeVisible();
      await expect(page.getByText('Connected')).toBeAttached();
    };
    await field(page, 'Root folder').fill('/does/not/exist');
    await page.getByRole('button', { name: 'Save Root folder' }).click();
    await expect(page.getByText(/The folder "\/does\/not\/exist" doesn’t exist/)).toBeVisible();
    await page.keyboard.press('Escape');
    await tabTo(page, field(page, 'Root folder'));
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(other);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Root folder saved')).toBeVisible();
    await expect(field(page, 'Root folder')).toBeFocused();
    await isManaged(other);
    expect(JSON.parse(await readFile(join(served.directory, 'data/settings.json'), 'utf8'))).toEqual({
      root: other,
    });
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect(page.getByRole('option', { name: 'from-other' })).toBeVisible();
    await page.getByRole('option', { name: 'scout' }).click();
    await editor(page).fill('typed for the other root');
    await expect(page.getByRole('button', { name: '1 unsaved file' })).toBeVisible();

    // The rail leads to the settings, with the focus where a folder is typed.
    await page.getByRole('button', { name: `Root: ${other}` }).press('Enter');
    await page.getByRole('menuitem', { name: 'Open another folder…' }).press('Enter');
    await expect(field(page, 'Root folder')).toBeFocused();

    // Another root asks nothing, saves nothing, and shows nothing of that text.
    await page.getByRole('button', { name: 'Use default for Root folder' }).press('Enter');
    await isManaged(starter);
    await expect(field(page, 'Root folder')).toHaveValue(starter);
    await expect(page.getByText(`Reopen ${other} to get back your unsaved text in 1 file.`)).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('option', { name: 'scout' }).click();
    await expect(editor(page)).toContainText('You are scout');
    await expect(editor(page)).not.toContainText('typed for the other root');

    // A folder without agents can be set up first, and the change can be undone.
    const empty = join(served.directory, 'empty');
    await mkdir(empty);
    await page.getByRole('link', { name: 'Settings' }).click();
    await field(page, 'Root folder').fill(empty);
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'This folder is empty' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await readdir(empty)).toEqual([]);
    await page.getByRole('button', { name: 'Save Root folder' }).click();
    await question.getByRole('button', { name: 'Set up this folder' }).click();
    await isManaged(empty);
    expect(await readdir(empty)).toContain('agents');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await isManaged(starter);
    await expect(field(page, 'Root folder')).toHaveValue(starter);

    // The rail switches too, and the text is there again.
    await page.getByRole('button', { name: /^Root: / }).click();
    await page.getByRole('menuitem', { name: other }).click();
    await isManaged(other);
    // At most one toast says what happened in the background.
    await expect(page.getByText(`Reopen ${other} to get back your unsaved text in 1 file.`)).toHaveCount(0);
    await page.getByRole('button', { name: '1 unsaved file' }).click();
    await page.getByRole('menuitem', { name: /scout.*SYSTEM\.md/ }).click();
    await expectText(editor(page), 'typed for the other root');
    expect(await readFile(join(other, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
  });

  test('the page clearly reports a root that disappears, and offers to choose another', async ({
    page,
    served,
  }) => {
    const other = await openWithTwoRoots(page, served);
    await field(page, 'Root folder').fill(other);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Root folder saved')).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect(page.getByRole('option', { name: 'from-other' })).toBeVisible();
    await rename(other, `${other}-gone`);
    await page.getByRole('link', { name: 'Choose another root' }).click();
    await expect(field(page, 'Root folder')).toHaveValue(other);
    await field(page, 'Root folder').fill(`${other}-gone`);
    await page.keyboard.press('Enter');
    await expect(page.getByText('Root folder saved').first()).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await expect(page.getByRole('option', { name: 'from-other' })).toBeVisible();
  });
});

walletTest.describe('test money', () => {
  walletTest.use({ environment: async ({ mint }, use) => use({ MINT_URL: mint.url }) });

  walletTest(
    'ends only after a warning that the money will be real, by mouse and by keyboard',
    async ({ page, served }) => {
      await page.goto(served.pageAt('/settings/wallet'));
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
      const pill = page.getByRole('banner').getByRole('button', { name: 'Test money' });
      await expect(pill).toHaveCount(0);
      await devMode.click();
      await expect(devMode).toBeChecked();
      // Its explanation can be read without a mouse.
      await tabTo(page, pill, 'Shift+Tab');
      await expect(page.getByText('Tokens aren’t checked')).toBeVisible();
    },
  );
});

test.describe('with a mint that doesn’t respond', () => {
  test.use({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from its pattern
    environment: async ({}, use) => use({ MINT_URL: `http://127.0.0.1:${await freePort()}` }),
  });

  test('test money goes on, and the setting says why', async ({ page, served }) => {
    await page.goto(served.pageAt('/settings/wallet'));
    const devMode = page.getByRole('switch', { name: 'Test money' });
    await devMode.click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Use real money' }).click();
    await expect(page.getByRole('alert')).toContainText(
      /No mint responds at 127\.0\.0\.1:\d+\. Check the address in the Mint field/,
    );
    await expect(devMode).toBeChecked();
  });
});

test('settings from the environment are shown with their variables and cannot be changed', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings'));
  await expect(field(page, 'Root folder')).toHaveValue(served.root);
  await expect(field(page, 'Root folder')).toBeDisabled();
  await expect(page.getByText(/Set by DOT_MI_ROOT in the environment/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save Root folder' })).toHaveCount(0);
  await openSettings(page, 'Server');
  await expect(field(page, 'Port')).toBeDisabled();
  await expect(page.getByText(/Set by PORT in the environment/)).toBeVisible();
});

test('a setting saves itself and can be restored, and one that moves money asks first', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/settings/pricing'));
  const interval = field(page, 'Price interval');
  for (const [wrong, advice] of [
    ['soon', 'Price interval must be a whole number from 30 to 86,400.'],
    ['1', 'Price interval must be a whole number from 30 to 86,400.'],
  ] as const) {
    await interval.fill(wrong);
    await expect(page.getByText(advice)).toBeVisible();
    await interval.blur();
  }
  await interval.fill('120');
  await interval.blur();
  await expect(page.getByText('Price interval saved')).toBeVisible();
  const saved = async () => JSON.parse(await readFile(join(served.directory, 'data/settings.json'), 'utf8'));
  expect(await saved()).toEqual({ btcRefreshIntervalSeconds: 120 });
  await expect(page.getByText('Connected')).toBeAttached();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone: Price interval saved')).toBeVisible();
  await expect(interval).toHaveValue('300');
  expect(await saved()).toEqual({});
  await expect(page.getByText('Connected')).toBeAttached();

  await openSettings(page, 'General');
  const directories = field(page, 'More session folders');
  await directories.fill('~/pi-sessions');
  await expect(page.getByText('Enter each folder as agent=folder')).toBeVisible();
  // What only the server knows is said with the label too.
  await directories.fill('no agent=~/pi-sessions');
  await directories.blur();
  await expect(
    page.getByText(
      'More session folders must be a comma-separated list of "agent=directory", not "no agent=~/pi-sessions".',
    ),
  ).toBeVisible();
  await directories.fill(`scout=${served.directory}, writer=~/pi-sessions`);
  await directories.blur();
  await expect(page.getByText('More session folders saved')).toBeVisible();
  expect(await saved()).toEqual({
    sessionDirectories: [`scout=${served.directory}`, 'writer=~/pi-sessions'],
  });
  await expect(page.getByText('Connected')).toBeAttached();
  await directories.fill('');
  await directories.blur();
  await expect.poll(saved).toEqual({});
  await expect(page.getByText('Connected')).toBeAttached();

  await openSettings(page, 'Wallet');
  await field(page, 'Mint').fill('mint.example');
  await expect(page.getByText('Mint must be a web address, such as')).toBeVisible();
  await field(page, 'Mint').fill('https://mint.example/Bitcoin');
  // It waits while another page is open, and nothing asks on the way.
  await page.getByRole('link', { name: 'Catalog' }).click();
  await expect(page).toHaveURL(`${served.url}/catalog`);
  await openSettings(page, 'Wallet');
  await expect(field(page, 'Mint')).toHaveValue('https://mint.example/Bitcoin');
  await field(page, 'Mint').press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Use another mint?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await saved()).toEqual({});
  await page.getByRole('button', { name: 'Save Mint' }).click();
  await question.getByRole('button', { name: 'Use this mint' }).click();
  await expect(page.getByText('Mint saved')).toBeVisible();
  expect(await saved()).toEqual({ mintUrl: 'https://mint.example/Bitcoin' });
});

test('each section has an address, and the search jumps to a setting', async ({ page, served }) => {
  await page.goto(served.pageAt('/settings/server'));
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
  await expect(sections.getByRole('link', { name: 'Server' })).toHaveAttribute('aria-current', 'page');
  await expect(field(page, 'Port')).toBeVisible();
  await sections.getByRole('link', { name: 'About' }).click();
  await expect(page).toHaveURL(`${served.url}/settings/about`);
  await expect(page).toHaveTitle(/^About/);
  await expect(page.getByRole('heading', { name: 'About' })).toBeVisible();
  await expect(field(page, 'Port')).toHaveCount(0);
  await expect(sections.getByRole('link', { name: 'Desktop' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Catalog' }).click();
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('price interval');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${served.url}/settings/pricing`);
  await expect(field(page, 'Price interval')).toBeFocused();
  await page.goto(`${served.url}/settings/nowhere`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test('without the token the server’s settings say how to get one, and the theme can still be chosen', async ({
  page,
  served,
}) => {
  await page.goto(`${served.url}/settings`);
  await expect(page.getByText('Sign in to this dot-mi')).toBeVisible();
  await openSettings(page, 'Appearance');
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeVisible();
});

test('the theme is chosen by mouse and by keyboard, at once, in every tab and after a reload', async ({
  page,
  served,
  context,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(served.pageAt('/settings/appearance'));
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
    await page.goto(served.pageAt('/settings/server'));
    await field(page, 'Port').fill('99999');
    await expect(page.getByText('Port must be a whole number from 0 to 65,535.')).toBeVisible();
    await field(page, 'Port').fill(String(port));
    await field(page, 'Port').press('Enter');
    const question = page.getByRole('alertdialog', { name: `Move to port ${port}?` });
    await question.getByRole('button', { name: 'Move' }).click();
    // Whoever goes on meanwhile is followed.
    await expect(page.getByText(`dot-mi is moving to http://127.0.0.1:${port}.`)).toBeVisible();
    await page.getByRole('link', { name: 'Catalog' }).click();
    await expect(page).toHaveURL(`http://127.0.0.1:${port}/catalog`);
    await openSettings(page, 'Server');
    await expect(field(page, 'Port')).toHaveValue(String(port));
  });
});

test.describe('in the desktop', () => {
  test.use({ environment: { DOT_MI_ROOT: '' } });

  test('a directory can be chosen, and its preferences are offered', async ({ page, served }) => {
    // Stands in for the preload of the desktop's window.
    await page.addInitScript(
      ([token, chosen]) => {
        const notifications = {
          payments: true,
          attention: true,
          mint: true,
          budgets: true,
          sales: true,
          updates: true,
        };
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
    await expect(field(page, 'Root folder')).toHaveValue(served.root);
    await page.getByRole('button', { name: 'Save Root folder' }).click();
    await expect(page.getByText('Root folder saved')).toBeVisible();
    await openSettings(page, 'Desktop');
    await expect(page.getByRole('switch', { name: 'Start at login' })).toBeChecked();
    await page.getByRole('switch', { name: 'Close to tray' }).click();
    await expect(page.getByRole('switch', { name: 'Close to tray' })).toBeChecked();
    await openSettings(page, 'About');
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
      const notifications = {
        payments: true,
        attention: true,
        mint: true,
        budgets: true,
        sales: true,
        updates: true,
      };
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
    await page.goto(`${served.url}/settings/desktop`);
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
