import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, test as base, type ElectronApplication, expect, type Page } from '@playwright/test';
import { findElectron, windowObstacle } from '../../scripts/electron.ts';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { plant, SMALL_ROOT } from '../support/plant.ts';

// The real Electron, where it is. What its double shows in the other files is here held against the original.
const project = fileURLToPath(new URL('../..', import.meta.url));
const binary = findElectron();
const obstacle = binary
  ? windowObstacle()
  : "Electron's binary is not here; npm run test:electron fetches it";

interface Opened {
  app: ElectronApplication;
  page: Page;
}

const test = base.extend<{ launch: (argv?: string[]) => Promise<Opened> }>({
  launch: async ({ browserName: _ }, use) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-electron-')));
    await plant(join(directory, 'root'), SMALL_ROOT);
    const apps: ElectronApplication[] = [];
    await use(async (argv = []) => {
      const app = await _electron.launch({
        ...(binary === undefined ? {} : { executablePath: binary }),
        // Variables don't move the data folder on macOS and Windows, where it would be the person's own wallet.
        args: [project, `--user-data-dir=${join(directory, 'user-data')}`, ...argv],
        // Otherwise Playwright adds --no-sandbox.
        chromiumSandbox: true,
        cwd: directory,
        env: {
          ...(process.env as Record<string, string>),
          ...NO_OUTSIDE,
          NODE_OPTIONS: '',
          PORT: '0',
          DOT_MI_ROOT: join(directory, 'root'),
          // The rest that a person has at home, such as the folder of autostart entries.
          HOME: directory,
          XDG_CONFIG_HOME: join(directory, 'config'),
        },
      });
      apps.push(app);
      return { app, page: await app.firstWindow() };
    });
    for (const app of apps) await app.close().catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  },
});

// One program at a time, also where other files run with more workers.
test.describe.configure({ mode: 'default' });

// Said once, not by each worker.
if (obstacle && process.env.TEST_WORKER_INDEX === undefined)
  process.stdout.write(`The real Electron is not tested: ${obstacle}.\n`);
test.beforeAll(() => {
  if (obstacle && process.env.REQUIRE_ELECTRON)
    throw new Error(`The real Electron is not tested: ${obstacle}.`);
});
test.skip(() => obstacle !== undefined && !process.env.REQUIRE_ELECTRON, obstacle);

const expectAgents = (page: Page) => expect(page.getByText('scout', { exact: true }).first()).toBeVisible();

test('the window shows the page, isolated and sandboxed', async ({ launch }) => {
  const { app, page } = await launch();
  await expectAgents(page);
  const preferences = await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    const contents = window?.webContents as unknown as { getLastWebPreferences(): Record<string, unknown> };
    return contents.getLastWebPreferences();
  });
  expect(preferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
  });
  expect(
    await page.evaluate(() => ['require', 'process', 'module'].filter((name) => name in window)),
  ).toEqual([]);
  expect(await page.evaluate(() => sessionStorage.getItem('dot-mi.token'))).toMatch(/^[0-9a-f]{64}$/);
});

test('everything a page may ask for is denied, and nothing navigates elsewhere', async ({ launch }) => {
  const { app, page } = await launch();
  await expectAgents(page);
  const here = page.url();
  await app.evaluate(({ shell }) => {
    (globalThis as { opened?: string[] }).opened = [];
    shell.openExternal = async (url) => void (globalThis as { opened?: string[] }).opened?.push(url);
  });
  const state = await page.evaluate(
    async () => (await navigator.permissions.query({ name: 'geolocation' })).state,
  );
  expect(state).toBe('denied');
  await page.evaluate(() => {
    for (const href of [
      'http://127.0.0.1:9/',
      'smb://host/share',
      'file:///etc/passwd',
      'javascript:document.title="ran"',
    ]) {
      const link = document.createElement('a');
      link.href = href;
      document.body.append(link);
      link.click();
    }
    window.open('http://127.0.0.1:9/window');
    window.open('smb://host/window');
  });
  await expect
    .poll(() => app.evaluate(() => (globalThis as { opened?: string[] }).opened?.sort()))
    .toEqual(['http://127.0.0.1:9/', 'http://127.0.0.1:9/window']);
  expect(page.url()).toBe(here);
  expect(app.windows()).toHaveLength(1);
  expect(await page.title()).not.toContain('ran');
});

test('a cashu: link fills in the field of the wallet', async ({ launch }) => {
  const proof = { id: '009a1f293253e41e', amount: 21, secret: 's', C: `02${'a'.repeat(64)}` };
  const json = JSON.stringify({ token: [{ mint: 'https://mint.example', proofs: [proof] }], unit: 'sat' });
  const token = `cashuA${Buffer.from(json).toString('base64url')}`;
  const { page } = await launch(['--', `cashu:${token}`]);
  await expect(page.getByRole('textbox', { name: 'Cashu token' })).toHaveValue(token);
  await expect(page).toHaveURL(/\/wallet$/);
  // A token that is not received is asked about when the program ends.
  await page.getByRole('textbox', { name: 'Cashu token' }).fill('');
});

test('a page that crashes is reloaded, and a quit ends the server', async ({ launch }) => {
  const { app, page } = await launch();
  await expectAgents(page);
  const { origin } = new URL(page.url());
  await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
  );
  await expect
    .poll(() =>
      app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents;
        return contents?.isCrashed() === false && !contents.isLoading();
      }),
    )
    .toBe(true);
  await app.close();
  await expect(fetch(`${origin}/api/health`)).rejects.toThrow();
});
