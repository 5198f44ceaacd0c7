import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { menuTemplate } from '../../src/main/menu.ts';
import { SHORTCUTS, type ShortcutId } from '../../src/renderer/src/shell/shortcuts.ts';
import { PAGE_COMMANDS } from '../../src/shared/desktop-bridge.ts';
import { Menu } from '../support/electron-double.ts';

const SYSTEMS = ['linux', 'win32', 'darwin'] as const;

const itemsOf = (platform: NodeJS.Platform, asked: string[] = [], isDevelopment = false) =>
  menuTemplate(
    {
      command: (command) => asked.push(command),
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
  const shown = itemsOf(platform).filter(({ accelerator }) => accelerator !== undefined);
  expect(shown.length).toBeGreaterThanOrEqual(4);
  for (const { id, accelerator, registerAccelerator } of shown) {
    const combinations = SHORTCUTS[id as ShortcutId].keys.map(
      (keys: { key: string; mod?: boolean }) => `${keys.mod ? 'CmdOrCtrl+' : ''}${keys.key.toUpperCase()}`,
    );
    expect(combinations).toContain(accelerator?.replace(/^Cmd\+/, 'CmdOrCtrl+'));
    // The page hears it; registered, it would happen twice.
    expect(registerAccelerator).toBe(false);
  }
});

test('each menu opens with Alt and a letter of its own, and no item writes out the name of a key', () => {
  const menus = menuTemplate(
    {
      command: () => undefined,
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
    openLogs: () => undefined,
    openDataFolder: () => undefined,
    checkForUpdates: () => undefined,
  };
  const { template } = Menu.buildFromTemplate(menuTemplate(host, 'darwin', false));
  const windowMenu = template.find(({ role }) => role === 'windowMenu')?.submenu;
  expect(windowMenu).toEqual(expect.arrayContaining([{ role: 'minimize' }, { role: 'zoom' }]));
});
