// Its own file: where each system starts this program from changes with the packaging only.
import { app } from 'electron';
import type { Config } from '../server/config.ts';
import { isInside } from '../server/platform/root.ts';

/**
 * The file that starts this program again. An AppImage and the portable program of Windows run from a place that goes
 * with the process: what the system keeps must name the file that a person has.
 */
export const programFile = (
  config: Pick<Config, 'appImagePath' | 'appImageMount' | 'portablePath'>,
): string => {
  const { appImagePath, appImageMount } = config;
  const exe = app.getPath('exe');
  const portable = portableFile(config);
  if (portable !== undefined) return portable;
  // A variable of another AppImage, which started a terminal that started us, is none of ours.
  const isMounted = appImageMount !== undefined && isInside(appImageMount, exe);
  return process.platform === 'linux' && isMounted ? (appImagePath ?? exe) : exe;
};

/** The portable program of Windows that this is, if so; it unpacks itself below the folder of temporary files. */
export const portableFile = ({ portablePath }: Pick<Config, 'portablePath'>): string | undefined =>
  process.platform === 'win32' && isInside(app.getPath('temp'), app.getPath('exe'))
    ? portablePath
    : undefined;
