import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { switchesOf } from './deep-link.ts';

/** Marks a start at login. If there's a tray, the window stays in it. */
export const HIDDEN_ARGUMENT = '--hidden';

/** Controls whether the app starts when the person logs in. */
export interface LoginItem {
  isOn(): boolean;
  /** Throws a readable error if the system refuses. */
  set(on: boolean): void;
}

/**
 * Escapes an argument of the Exec key (Desktop Entry Specification): in quotes, with a backslash before special
 * characters, and `%%` because `%` begins a field code. The file's strings have their own escapes, so escape the result
 * once more.
 */
const execArgument = (argument: string): string => {
  const quoted = `"${argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`;
  return quoted
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
};

const desktopEntry = (program: string): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=dot-mi',
    `Exec=${execArgument(program)} ${HIDDEN_ARGUMENT}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');

/** Creates the login item on Linux, which Electron lacks (freedesktop.org, "Desktop Application Autostart"). */
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

/** On Windows, Electron looks for this command line, so both calls pass it. macOS always starts this app. */
const createSystemItem = (program: string): LoginItem => {
  // SECURITY: Electron uses the command line unchanged (electron#32657, #53911). Without quotes, Windows would
  // start C:\Users\My.exe for C:\Users\My Name\dot-mi.exe, and other programs' command lines would count as ours.
  const item = { path: `"${program}"`, args: [HIDDEN_ARGUMENT] };
  return {
    isOn() {
      const { openAtLogin, executableWillLaunchAtLogin } = app.getLoginItemSettings(item);
      // A person can disable the entry in Windows' Task Manager.
      return openAtLogin && (process.platform !== 'win32' || executableWillLaunchAtLogin);
    },
    set: (on) => app.setLoginItemSettings({ ...item, openAtLogin: on }),
  };
};

const refusalOn = (platform: NodeJS.Platform, on: boolean): string => {
  const state = on ? 'on' : 'off';
  return platform === 'darwin'
    ? `macOS didn’t turn this ${state}. Turn dot-mi ${state} in System Settings › General › Login Items.`
    : `The system didn’t turn this ${state}. Try again.`;
};

/** Creates this system's login item. `program` is the file that it starts. */
export const createLoginItem = (program: string): LoginItem => {
  const item = process.platform === 'linux' ? createLinuxItem(program) : createSystemItem(program);
  return {
    isOn: item.isOn,
    set(on) {
      if (on && !app.isPackaged) throw new Error('Only the installed program can start at login.');
      item.set(on);
      // macOS reports no failure, and may wait for the person's approval.
      if (item.isOn() !== on) throw new Error(refusalOn(process.platform, on));
    },
  };
};

/** Returns whether the app was started at login. */
export const isLoginStart = (): boolean =>
  switchesOf(process.argv).includes(HIDDEN_ARGUMENT) ||
  (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
