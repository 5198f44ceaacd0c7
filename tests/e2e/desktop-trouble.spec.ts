import { chmod, chown, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { plant, SMALL_ROOT } from '../support/plant.ts';
import { type Desktop, expect, expectAgents, type Place, test } from './desktop-fixtures.ts';
import { openSettings } from './settings-page.ts';

const NOBODY = 65_534;
const NO_ROOT = { DOT_MI_ROOT: '' };

/** A port that another program has, until it is freed. */
const takePort = async () => {
  const holder = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => holder.once('listening', resolve));
  const { port } = holder.address() as AddressInfo;
  return { port, free: () => new Promise((resolve) => holder.close(resolve)) };
};

test('a port that another dot-mi has: the window says so, opens its page or offers another port, and keeps it when asked to', async ({
  place,
}) => {
  const first = await place.launch({ launchOptions: { userData: join(place.directory, 'first') } });
  const { port } = new URL((await first.page()).url());
  const settings = { version: 1, server: { port: Number(port) } };
  const userData = join(place.directory, 'user-data');
  await plant(userData, { 'settings.json': JSON.stringify(settings) });
  // Empty: the environment leaves the port to the settings.
  const launch = { environment: { PORT: '' } };

  const quitter = await place.launch(launch);
  quitter.answer({ response: 2, checkboxChecked: false }, { response: 0, checkboxChecked: false });
  expect(await quitter.exited).toBe(0);
  const sentence = `dot-mi is already running on port ${port} (version 0.1.0, root ${place.root}).`;
  // Still taken when it tried again.
  expect(quitter.said()).toEqual([sentence, sentence]);
  expect(quitter.opened()).toEqual([`http://127.0.0.1:${port}`]);

  const desktop = await place.launch(launch);
  desktop.answer({ response: 1, checkboxChecked: true });
  const page = await desktop.page();
  await expectAgents(page);
  const chosen = new URL(page.url()).port;
  expect(Number(chosen)).toBeGreaterThan(Number(port));
  const kept = JSON.parse(await readFile(join(userData, 'settings.json'), 'utf8'));
  expect(kept.server).toEqual({ port: Number(chosen) });
  expect(await desktop.quit()).toBe(0);

  const again = await place.launch(launch);
  expect(new URL((await again.page()).url()).port).toBe(chosen);
  expect(again.said()).toEqual([]);
});

test('a port that is temporarily taken: other settings can still be changed, and the port stays', async ({
  place,
}) => {
  const { port, free } = await takePort();
  try {
    const desktop = await place.launch({ environment: { PORT: String(port) } });
    desktop.answer({ response: 0, checkboxChecked: false });
    const page = await desktop.page();
    await expectAgents(page);
    expect(desktop.said()[0]).toMatch(
      process.platform === 'linux'
        ? new RegExp(`^Port ${port} is in use by .+ \\(process ${process.pid}\\)\\.$`)
        : new RegExp(`^Port ${port} is in use by .+\\.$`),
    );
    const at = page.url();
    await openSettings(page, 'Pricing');
    await page.getByRole('textbox', { name: 'Price interval' }).fill('600');
    await page.getByRole('textbox', { name: 'Price interval' }).press('Enter');
    await expect(page.getByText('Price interval saved')).toBeVisible();
    await page.getByRole('link', { name: 'Agents' }).click();
    await expectAgents(page);
    expect(new URL(page.url()).origin).toBe(new URL(at).origin);
  } finally {
    await free();
  }
});

test('a port that is free again when the operator retries is used', async ({ place }) => {
  const { port, free } = await takePort();
  const desktop = await place.launch({ environment: { PORT: String(port) } });
  desktop.answer(async () => {
    await free();
    return { response: 1, checkboxChecked: false };
  });
  expect(new URL((await desktop.page()).url()).port).toBe(String(port));
  expect(desktop.said()).toHaveLength(1);
});

test('quitting while the start waits for an answer ends the program', async ({ place }) => {
  const { port, free } = await takePort();
  try {
    const desktop = await place.launch({ environment: { PORT: String(port) } });
    desktop.answer(() => new Promise(() => undefined));
    await expect.poll(() => desktop.said()).toHaveLength(1);
    expect(await desktop.quit()).toBe(0);
  } finally {
    await free();
  }
});

test('a SIGTERM while the start waits for an answer ends the program, and its link is kept', async ({
  place,
}) => {
  const { port, free } = await takePort();
  try {
    const desktop = await place.launch({ environment: { PORT: String(port) }, argv: ['--', 'cashu:kept'] });
    desktop.answer(() => new Promise(() => undefined));
    await expect.poll(() => desktop.said()).toHaveLength(1);
    desktop.signal('SIGTERM');
    expect(await desktop.exited).toBe(0);
    expect(await readFile(join(desktop.userData, 'waiting-links.json'), 'utf8')).toBe('["cashu:kept"]');
  } finally {
    await free();
  }
});

test('the window clearly reports a root that is deleted while it is open, and offers to choose another', async ({
  place,
}) => {
  const other = join(place.directory, 'other-root');
  await plant(other, { ...SMALL_ROOT, 'agents/courier/SYSTEM.md': 'You carry letters.\n' });
  await plant(join(place.directory, 'user-data'), {
    'settings.json': JSON.stringify({ version: 1, server: { root: place.root } }),
  });
  const desktop = await place.launch({ environment: NO_ROOT });
  const page = await desktop.page();
  await expectAgents(page);
  await rm(place.root, { recursive: true });
  await expect(page.getByText('dot-mi can’t read the root')).toBeVisible();
  await page.getByRole('link', { name: /Choose/ }).click();
  desktop.choose(other);
  await page.getByRole('button', { name: 'Choose…' }).click();
  const field = page.getByRole('textbox', { name: 'Root folder' });
  await expect(field).toHaveValue(other);
  const save = page.getByRole('button', { name: 'Save Root folder' });
  if (await save.isEnabled()) await save.click();
  await page.getByRole('link', { name: 'Agents' }).click();
  await expect(page.getByRole('option', { name: /courier/ })).toBeVisible();
  const kept = JSON.parse(await readFile(join(desktop.userData, 'settings.json'), 'utf8'));
  expect(kept.server).toEqual({ root: other });
});

test('settings that aren’t JSON are set aside, the defaults are used, and both the log and the window say so', async ({
  place,
}) => {
  const userData = join(place.directory, 'user-data');
  await plant(userData, { 'settings.json': '{ "server": { "port": 80' });
  const desktop = await place.launch();
  const page = await desktop.page();
  await expectAgents(page);
  const aside = (await readdir(userData)).filter((name) => name.startsWith('settings.damaged-'));
  expect(aside).toHaveLength(1);
  const path = join(userData, aside[0] ?? '');
  expect(await readFile(path, 'utf8')).toBe('{ "server": { "port": 80');
  await expect
    .poll(() => desktop.said())
    .toEqual(['dot-mi couldn’t read its settings, so it uses the defaults.']);
  expect(await readFile(join(userData, 'logs/dot-mi.log'), 'utf8')).toContain('settings file is damaged');
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByText(path)).toBeVisible();
});

test('an invalid server setting resets only the server settings', async ({ place }) => {
  const userData = join(place.directory, 'user-data');
  const window = { bounds: { x: 10, y: 20, width: 1000, height: 700 }, zoomLevel: 1 };
  const written = {
    version: 1,
    window,
    preferences: { closeToTray: true },
    server: { btcRefreshIntervalSeconds: 0 },
  };
  await plant(userData, { 'settings.json': JSON.stringify(written) });
  const desktop = await place.launch();
  const { made, page } = await desktop.window();
  expect(made.options).toMatchObject(window.bounds);
  await openSettings(page(), 'Desktop');
  await expect(page().getByText('settings.damaged-')).toBeVisible();
  await expect(page().getByRole('switch', { name: 'Close to tray' })).toBeChecked();

  // A person makes the page larger, and it stays so when it is loaded again.
  await page().waitForLoadState();
  await desktop.shell.ask('window', 1, 'zoom');
  await page().reload();
  expect(await desktop.quit()).toBe(0);
  const kept = JSON.parse(await readFile(join(userData, 'settings.json'), 'utf8'));
  expect(kept.window).toMatchObject({ ...window, zoomLevel: 2 });
});

test('settings are kept, and the environment overrides them visibly', async ({ place }) => {
  const bounds = { x: 10, y: 20, width: 1000, height: 700 };
  const old = {
    version: 1,
    window: { bounds },
    server: { btcRefreshIntervalSeconds: 77, port: await freePort() },
  };
  await plant(join(place.directory, 'user-data'), { 'settings.json': JSON.stringify(old) });
  const port = String(await freePort());
  const desktop = await place.launch({ environment: { PORT: port } });
  const { made, page } = await desktop.window();
  expect(made.options).toMatchObject(bounds);
  await openSettings(page(), 'Pricing');
  await expect(page().getByRole('textbox', { name: 'Price interval' })).toHaveValue('77');
  await openSettings(page(), 'Server');
  expect(new URL(page().url()).port).toBe(port);
  const field = page().getByRole('textbox', { name: 'Port' });
  await expect(field).toHaveValue(port);
  await expect(field).toBeDisabled();
  await expect(field).toHaveAccessibleDescription(/Set by PORT in the environment\./);
  await desktop.shell.ask('window', 1, 'zoom');
  expect(await desktop.quit()).toBe(0);
  const kept = JSON.parse(await readFile(join(desktop.userData, 'settings.json'), 'utf8'));
  expect(kept).toEqual({
    version: 1,
    window: { bounds, isMaximized: false, zoomLevel: 2 },
    server: old.server,
  });
});

/** Gives a data folder to somebody who may not write everywhere; a test that runs as root is one who may. */
const makeDataFolder = async ({ directory }: Place) => {
  const path = join(directory, 'user-data');
  await mkdir(path);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const each of [directory, path]) await chown(each, NOBODY, NOBODY);
  return { path, who: isRoot ? { uid: NOBODY } : {} };
};

/** Skips a test whose somebody cannot even read what is to start. */
const skipUnreadable = (desktop: Desktop) =>
  test.skip(
    /EACCES.*register/.test(desktop.stderr()),
    'the sources are in a folder that only root may enter',
  );

test('an unwritable data folder is reported in one clear sentence', async ({ place }) => {
  test.skip(process.platform === 'win32', 'Windows has no modes');
  const { path, who } = await makeDataFolder(place);
  await chmod(path, 0o555);
  const desktop = await place.launch(who);
  const code = await desktop.exited;
  skipUnreadable(desktop);
  expect(code).toBe(1);
  expect(desktop.said()).toEqual(['dot-mi can’t start']);
  expect(desktop.details()).toEqual([
    `dot-mi can’t write to the data folder ${path}. Give yourself permission to write there, then start dot-mi again.`,
  ]);
});

test('a data folder becomes read-only: the window reports what can’t be saved, the rest keeps working, and the program quits cleanly', async ({
  place,
}) => {
  test.skip(process.platform === 'win32', 'Windows has no modes');
  const { path, who } = await makeDataFolder(place);
  const desktop = await place.launch(who);
  const shown = await desktop.window().catch(() => undefined);
  skipUnreadable(desktop);
  const page = shown?.page();
  if (!page) throw new Error(desktop.stderr());
  await openSettings(page, 'Desktop');
  const toTray = page.getByRole('switch', { name: 'Close to tray' });
  await expect(toTray).not.toBeChecked();
  await chmod(path, 0o555);
  await toTray.click();
  await expect(page.getByRole('region', { name: /^Notifications/ })).toContainText(
    'dot-mi can’t save its settings in settings.json in the data folder (EACCES).',
  );
  await expect(toTray).not.toBeChecked();
  await page.getByRole('link', { name: 'Agents' }).click();
  await expectAgents(page);
  // Where the window is cannot be kept either, which keeps it open no longer, and the log goes to standard error.
  desktop.shell.tell('window', 1, 'close');

  expect([await desktop.exited, desktop.said()]).toEqual([0, []]);
  expect(desktop.stderr()).toContain('a window action failed');
});
