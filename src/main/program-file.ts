// Its own file: only the packaging changes where each system starts this program from.
import { app } from 'electron';
import type { Config } from '../server/config.ts';
import { isInside } from '../server/platform/root.ts';

/**
 * The file that starts this program again. An AppImage and the portable Windows program run from a place that
 * disappears with the process. So the system must remember the person's own file.
 */
export const programFile = (
  config: Pick<Config, 'appImagePath' | 'appImageMount' | 'portablePath'>,
): string => portableFile(config) ?? appImageFile(config) ?? app.getPath('exe');

/** The AppImage file that this program runs from, if it does. */
export const appImageFile = ({
  appImagePath,
  appImageMount,
}: Pick<Config, 'appImagePath' | 'appImageMount'>): string | undefined => {
  // Another AppImage may have started the terminal that started us, and then the variable isn't ours.
  const isMounted = appImageMount !== undefined && isInside(appImageMount, app.getPath('exe'));
  return process.platform === 'linux' && isMounted ? appImagePath : undefined;
};

/** The portable Windows program, if this is one. It unpacks itself below the folder of temporary files. */
export const portableFile = ({ portablePath }: Pick<Config, 'portablePath'>): string | undefined =>
  process.platform === 'win32' && isInside(app.getPath('temp'), app.getPath('exe'))
    ? portablePath
    : undefined;
