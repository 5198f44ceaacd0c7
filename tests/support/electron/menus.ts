import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type { MenuItemConstructorOptions } from 'electron';
import { launchOptions, report, test } from './around.ts';
import { needsReady } from './ready.ts';

type Item = MenuItemConstructorOptions;
type Role = NonNullable<Item['role']>;

const items = (...roles: Role[]): Item[] => roles.map((role) => ({ role }));

/** The items of the roles that are whole menus. Any `submenu`, even an empty one, replaces them. */
const defaultItems = (role: Role | undefined): Item[] | undefined => {
  const isMac = process.platform === 'darwin';
  switch (role?.toLowerCase()) {
    case 'appmenu':
      return items('about', 'services', 'hide', 'hideOthers', 'unhide', 'quit');
    case 'filemenu':
      return items(isMac ? 'close' : 'quit');
    case 'editmenu':
      return items('undo', 'redo', 'cut', 'copy', 'paste', 'delete', 'selectAll');
    case 'viewmenu':
      return items('reload', 'forceReload', 'toggleDevTools', 'resetZoom', 'zoomIn', 'zoomOut');
    case 'windowmenu':
      return items('minimize', 'zoom', isMac ? 'front' : 'close');
    case 'sharemenu':
      return [];
    default:
      return undefined;
  }
};

const complete = (item: Item): Item => {
  if (item.label === undefined && item.role === undefined && item.type === undefined)
    throw new TypeError('Invalid template for MenuItem: must have at least one of label, role or type');
  const submenu = (item.submenu as Item[] | undefined) ?? defaultItems(item.role);
  return submenu ? { ...item, submenu: submenu.map(complete) } : item;
};

const findItem = (template: readonly Item[], path: readonly string[]): Item | undefined => {
  const [label, ...rest] = path;
  const item = template.find((candidate) => candidate.label?.replace('&', '') === label);
  return rest.length === 0 ? item : findItem((item?.submenu as Item[] | undefined) ?? [], rest);
};

export class Menu {
  static current: Menu | null = null;
  /** The items with what their roles bring along. */
  readonly template: Item[];

  constructor(template: Item[] = []) {
    this.template = template.map(complete);
  }

  static buildFromTemplate(template: Item[]): Menu {
    return new Menu(template);
  }

  popup({ x = 0, y = 0 }: { x?: number; y?: number } = {}): void {
    test.tell('popup', { items: this.template, x, y });
    report({ kind: 'context-menu', items: this.template.map(({ role, type }) => role ?? type ?? '') });
  }

  static setApplicationMenu(menu: Menu | null): void {
    Menu.current = menu;
  }
}

const click = (menu: Menu | null | undefined, path: readonly string[]) => {
  const item = findItem(menu?.template ?? [], path);
  if (!item?.click) throw new Error(`no menu item ${path.join(' > ')}`);
  (item.click as () => void)();
};
test.on('menu', (...path: string[]) => click(Menu.current, path));

interface Image {
  isEmpty(): boolean;
}

export const nativeImage = {
  createFromPath: (path: string): Image => ({ isEmpty: () => !existsSync(path) }),
};

export class Tray extends EventEmitter {
  static current: Tray | undefined;
  menu: Menu | undefined;
  tip = '';

  constructor(image: Image) {
    super();
    needsReady('Cannot create Tray before app is ready');
    if (launchOptions.tray === 'refused') throw new Error('the system has no tray');
    // Electron can't find out that GNOME shows no tray, and says nothing.
    if (launchOptions.tray === 'hidden') return;
    Tray.current = this;
    report({ kind: 'tray', isThere: true, hasImage: !image.isEmpty() });
  }

  setToolTip(tip: string): void {
    this.tip = tip;
  }

  setContextMenu(menu: Menu): void {
    this.menu = menu;
  }

  destroy(): void {
    if (Tray.current !== this) return;
    Tray.current = undefined;
    report({ kind: 'tray', isThere: false, hasImage: false });
  }
}
test.on('tray', (label: string) => click(Tray.current?.menu, [label]));
test.on('tray-click', () => Tray.current?.emit('click'));
test.on('tray-tip', () => Tray.current?.tip);
