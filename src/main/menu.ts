import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import packageJson from '../../package.json' with { type: 'json' };
import type { PageCommand } from '../shared/desktop-bridge.ts';
import { ICON_PATH } from './dialogs.ts';

/** The menu actions that the page doesn't handle. */
interface MenuHost {
  /** Shows the window, and sends the command to its page. */
  command(command: PageCommand): void;
  /** Opens one of {@link recentRoots}. */
  openRoot(path: string): void;
  /** The roots that were open before, newest first. */
  recentRoots: readonly string[];
  openLogs(): void;
  openDataFolder(): void;
  checkForUpdates(): void;
}

type Item = MenuItemConstructorOptions;

const separator: Item = { type: 'separator' };

/** Chromium's names of zoom keys. The roles' own accelerators need Shift on most keyboards, and leave out the numpad. */
const ZOOM_KEYS = [
  ['zoomIn', '='],
  ['zoomIn', 'numadd'],
  ['zoomOut', 'numsub'],
  ['resetZoom', 'num0'],
] as const;

const zoomKeys: Item[] = ZOOM_KEYS.map(([role, key]) => ({
  role,
  accelerator: `CmdOrCtrl+${key}`,
  visible: false,
}));

/**
 * Returns a platform's menu. An `&` precedes the key that opens an item with Alt, except on macOS. `isDevelopment` adds
 * Chromium's tools.
 */
export const menuTemplate = (
  host: MenuHost,
  platform: NodeJS.Platform,
  isDevelopment: boolean,
): (Item & { submenu?: Item[] })[] => {
  const isMac = platform === 'darwin';
  const own = (label: string, command: PageCommand, accelerator: string): Item => ({
    label,
    id: command,
    accelerator,
    click: () => host.command(command),
  });
  const page = (label: string, command: PageCommand, accelerator?: string): Item => ({
    label,
    id: command,
    // The page handles its shortcuts itself, as in a browser. The menu only shows them.
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
    click: () => host.command(command),
  });
  const recent: Item[] = host.recentRoots.map((path) => ({
    // A single & would mark the next letter as the item's key.
    label: path.replaceAll('&', '&&'),
    click: () => host.openRoot(path),
  }));
  // Linux and Windows would spell out the comma: “Ctrl+Comma”.
  const settings = page('Se&ttings…', 'settings', isMac ? 'Cmd+,' : undefined);
  const updates: Item = { label: 'Check for &Updates…', click: () => host.checkForUpdates() };

  const appMenu: Item[] = [
    { role: 'about' },
    updates,
    separator,
    settings,
    separator,
    { role: 'services' },
    separator,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    separator,
    { role: 'quit' },
  ];
  const fileMenu: Item[] = [
    // A browser has other uses for these keys, so the page doesn't handle them.
    own('&New Agent…', 'newAgent', 'CmdOrCtrl+N'),
    own('&Open Folder…', 'openFolder', 'CmdOrCtrl+O'),
    { label: 'Open &Recent', enabled: recent.length > 0, submenu: recent },
    page('&Save', 'save', 'CmdOrCtrl+S'),
    separator,
    { label: 'Open &Data Folder', click: () => host.openDataFolder() },
    ...(isMac ? [] : [separator, settings]),
    separator,
    { role: 'close' },
    ...(isMac ? [] : [{ role: 'quit' } satisfies Item]),
  ];
  const editMenu: Item[] = [
    { role: 'undo' },
    { role: 'redo' },
    separator,
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'selectAll' },
    separator,
    page('&Find', 'find', 'CmdOrCtrl+F'),
  ];
  const goMenu: Item[] = [page('&Search…', 'search', 'CmdOrCtrl+K')];
  const viewMenu: Item[] = [
    { role: 'reload' },
    ...(isDevelopment ? [{ role: 'toggleDevTools' } satisfies Item] : []),
    separator,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    ...zoomKeys,
    separator,
    { role: 'togglefullscreen' },
  ];
  const helpMenu: Item[] = [
    page('&Keyboard Shortcuts', 'shortcuts', 'F1'),
    { label: 'Open &Logs', click: () => host.openLogs() },
    ...(isMac ? [] : [separator, updates, { role: 'about' } satisfies Item]),
  ];
  return [
    ...(isMac ? [{ label: app.name, submenu: appMenu }] : []),
    { label: '&File', submenu: fileMenu },
    { label: '&Edit', submenu: editMenu },
    { label: '&View', submenu: viewMenu },
    { label: '&Go', submenu: goMenu },
    // Any submenu would replace the role's own items.
    ...(isMac ? [{ role: 'windowMenu' as const }] : []),
    { label: '&Help', role: 'help', submenu: helpMenu },
  ];
};

/** Sets the app's menu and the content of its About panel. */
export const installMenu = (host: MenuHost): void => {
  // On Linux, the program file contains no version or icon for the panel to show.
  app.setAboutPanelOptions({
    applicationName: app.name,
    applicationVersion: packageJson.version,
    iconPath: ICON_PATH,
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(host, process.platform, !app.isPackaged)));
};
