import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { menuTemplate } from '../../src/main/menu.ts';
import { SHORTCUTS, type ShortcutId } from '../../src/renderer/src/shell/shortcuts.ts';
import { PAGE_COMMANDS } from '../../src/shared/desktop-bridge.ts';
import { Menu } from '../support/electron-double.ts';

const RECENT = ['/home/me/r&d', '/srv/agents'];

const SYSTEMS = ['linux', 'win32', 'darwin'] as const;

const itemsOf = (platform: NodeJS.Platform, asked: string[] = [], isDevelopment = false) =>
  menuTemplate(
    {
      command: (command) => asked.push(command),
      openRoot: (path) => asked.push(path),
      recentRoots: RECENT,
      openLogs: () => undefined,
      openDataFolder: () => undefined,
      checkForUpdates: () => undefined,
    },
    platform,
    isDevelopment,
  ).flatMap(({ submenu }) => submenu ?? []);

const click = (item: MenuItemConstructorOptions) => (item.click as (() => void) | undefined)?.();

test.each(SYSTEMS)('every command of the page is in the menu of %s once, and requests itself', (platform) => {
  const asked: string[] = [];
  for (const item of itemsOf(platform, asked)) if (item.id) click(item);
  expect(asked.sort()).toEqual([...PAGE_COMMANDS].sort());
});

test.each(SYSTEMS)('the menu of %s shows the same shortcuts that the page handles', (platform) => {
  // The page hears them; registered, they would happen twice.
  const shown = itemsOf(platform).filter(({ registerAccelerator }) => registerAccelerator === false);
  expect(shown.length).toBeGreaterThanOrEqual(4);
  for (const { id, accelerator } of shown) {
    const combinations = SHORTCUTS[id as ShortcutId].keys.map(
      (keys: { key: string; mod?: boolean }) => `${keys.mod ? 'CmdOrCtrl+' : ''}${keys.key.toUpperCase()}`,
    );
    expect(combinations).toContain(accelerator?.replace(/^Cmd\+/, 'CmdOrCtrl+'));
  }
});

test('no key of the menu alone is a shortcut of the page', () => {
  const registered = itemsOf('linux').filter(
    ({ accelerator, registerAccelerator }) => accelerator !== undefined && registerAccelerator !== false,
  );
  const keys = registered.map(({ accelerator }) => accelerator);
  expect(keys).toEqual(expect.arrayContaining(['CmdOrCtrl+N', 'CmdOrCtrl+O']));
  const ofPage = Object.values(SHORTCUTS).flatMap(({ keys: all }) =>
    all.map(({ key, ...more }) => `${'mod' in more ? 'CmdOrCtrl+' : ''}${key.toUpperCase()}`),
  );
  expect(keys.filter((key) => ofPage.includes(String(key)))).toEqual([]);
});

test('zooms by the keys that need no Shift, and by the numpad', () => {
  const keysOf = (wanted: string) =>
    itemsOf('linux')
      .filter(({ role, visible }) => role === wanted && visible === false)
      .map(({ accelerator }) => accelerator);
  expect(keysOf('zoomIn')).toEqual(['CmdOrCtrl+=', 'CmdOrCtrl+numadd']);
  expect(keysOf('zoomOut')).toEqual(['CmdOrCtrl+numsub']);
  expect(keysOf('resetZoom')).toEqual(['CmdOrCtrl+num0']);
});

test('recent roots are in a menu of their own, which opens them', () => {
  const asked: string[] = [];
  const recent = itemsOf('linux', asked).find(({ label }) => label === 'Open &Recent');
  const items = (recent?.submenu ?? []) as MenuItemConstructorOptions[];
  // A single & would be a letter to press.
  expect(items.map(({ label }) => label)).toEqual(['/home/me/r&&d', '/srv/agents']);
  for (const item of items) click(item);
  expect(asked).toEqual(RECENT);
  expect(itemsOf('linux').find(({ label }) => label === 'Open &Recent')?.enabled).toBe(true);
});

test('each menu opens with Alt and a letter of its own, and no item writes out the name of a key', () => {
  const menus = menuTemplate(
    {
      command: () => undefined,
      openRoot: () => undefined,
      recentRoots: RECENT,
      openLogs: () => undefined,
      openDataFolder: () => undefined,
      checkForUpdates: () => undefined,
    },
    'linux',
    false,
  );
  const letters = menus.map(({ label }) => /&(\w)/.exec(label ?? '')?.[1]);
  expect(letters).toEqual(['F', 'E', 'V', 'G', 'H']);
  for (const { submenu = [] } of menus) {
    const ofItems = submenu.flatMap(({ label }) => /&(\w)/.exec(label ?? '')?.[1]?.toUpperCase() ?? []);
    expect(new Set(ofItems).size).toBe(ofItems.length);
    // Linux and Windows call it “Comma”.
    for (const { accelerator } of submenu) expect(accelerator ?? '').not.toContain(',');
  }
});

test('macOS has its own menu with settings and quit, and the Chromium tools are for development only', () => {
  const roles = (platform: NodeJS.Platform, isDevelopment?: boolean) =>
    itemsOf(platform, [], isDevelopment).map(({ role }) => role);
  expect(roles('darwin')).toEqual(expect.arrayContaining(['hide', 'services', 'quit', 'close', 'about']));
  expect(roles('linux')).toEqual(expect.arrayContaining(['close', 'quit', 'about']));
  expect(roles('linux')).not.toContain('toggleDevTools');
  expect(roles('linux', true)).toContain('toggleDevTools');
});

test('the window menu of macOS keeps the items of its role', () => {
  const host = {
    command: () => undefined,
    openRoot: () => undefined,
    recentRoots: [],
    openLogs: () => undefined,
    openDataFolder: () => undefined,
    checkForUpdates: () => undefined,
  };
  const { template } = Menu.buildFromTemplate(menuTemplate(host, 'darwin', false));
  const windowMenu = template.find(({ role }) => role === 'windowMenu')?.submenu;
  expect(windowMenu).toEqual(expect.arrayContaining([{ role: 'minimize' }, { role: 'zoom' }]));
});
