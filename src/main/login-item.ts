import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';

/** Tells a start at login from one by hand: the window stays in the tray then, if there is one. */
export const HIDDEN_ARGUMENT = '--hidden';

/** Whether the program starts when the person logs in. */
export interface LoginItem {
  isOn(): boolean;
  /** Throws a sentence where it cannot be. */
  set(on: boolean): void;
}

/** Values in desktop entries: the characters that its specification reserves in a quoted argument. */
const quoted = (path: string): string => `"${path.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`;

const desktopEntry = (program: string): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=dot-mi',
    `Exec=${quoted(program)} ${HIDDEN_ARGUMENT}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');

/** Electron knows Windows and macOS; Linux has a directory for it (freedesktop.org, "Desktop Application Autostart"). */
const createLinuxItem = (program: string): LoginItem => {
  const path = join(app.getPath('appData'), 'autostart', 'dot-mi.desktop');
  return {
    isOn: () => existsSync(path),
    set(on) {
      if (!on) return rmSync(path, { force: true });
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, desktopEntry(program));
    },
  };
};

const systemItem: LoginItem = {
  isOn: () => app.getLoginItemSettings({ args: [HIDDEN_ARGUMENT] }).openAtLogin,
  set: (on) => app.setLoginItemSettings({ openAtLogin: on, args: [HIDDEN_ARGUMENT] }),
};

/** The login item of this system. `appImagePath` is the file to start where the program came in an AppImage. */
export const createLoginItem = (appImagePath: string | undefined): LoginItem => {
  const item =
    process.platform === 'linux' ? createLinuxItem(appImagePath ?? app.getPath('exe')) : systemItem;
  return {
    isOn: item.isOn,
    set(on) {
      if (on && !app.isPackaged) throw new Error('Only the installed program can start at login.');
      item.set(on);
    },
  };
};

/** Whether this start is one at login. */
export const isLoginStart = (): boolean =>
  process.argv.includes(HIDDEN_ARGUMENT) ||
  (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
