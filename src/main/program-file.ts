import { spawn } from 'node:child_process';
import { app } from 'electron';
import type { Config } from '../server/config.ts';
import { TRUST_ROOT_ARGUMENT } from '../server/host.ts';
import { isInside } from '../server/platform/root.ts';
import { switchesOf } from './deep-link.ts';
import { HIDDEN_ARGUMENT } from './login-item.ts';

/** Arguments that apply only to this start, so a restart drops them. */
const OF_ONE_START: readonly string[] = [HIDDEN_ARGUMENT, TRUST_ROOT_ARGUMENT];

/**
 * Returns the file that starts this program again. An AppImage and the portable Windows program run from a place that
 * disappears with the process. So the system must remember the person's own file.
 */
export const programFile = (
  config: Pick<Config, 'appImagePath' | 'appImageMount' | 'portablePath'>,
): string => portableFile(config) ?? appImageFile(config) ?? app.getPath('exe');

/** Returns the AppImage file that this program runs from. Undefined if there's none. */
export const appImageFile = ({
  appImagePath,
  appImageMount,
}: Pick<Config, 'appImagePath' | 'appImageMount'>): string | undefined => {
  // The variable may belong to another AppImage, which started our terminal.
  const isMounted = appImageMount !== undefined && isInside(appImageMount, app.getPath('exe'));
  return process.platform === 'linux' && isMounted ? appImagePath : undefined;
};

/**
 * Restarts this program with its switches once this process exits, but without links or markers meant only for this
 * start. Call it last, when the data folder is free.
 */
export const startAgain = (config: Parameters<typeof programFile>[0]): void => {
  const execPath = programFile(config);
  const args = switchesOf(process.argv)
    .slice(1)
    .filter((argument) => !OF_ONE_START.includes(argument));
  if (appImageFile(config) === undefined) {
    app.relaunch({ execPath, args });
    return;
  }
  // To relaunch, Electron would run a helper from the AppImage's mount, which disappears when we exit.
  app.releaseSingleInstanceLock();
  spawn(execPath, args, { detached: true, stdio: 'ignore' }).unref();
};

/** Returns the portable Windows program, if this is one. That program unpacks itself into the temp folder. */
export const portableFile = ({ portablePath }: Pick<Config, 'portablePath'>): string | undefined =>
  process.platform === 'win32' && isInside(app.getPath('temp'), app.getPath('exe'))
    ? portablePath
    : undefined;
