import { app } from 'electron';
import type { Config } from '../server/config.ts';

/**
 * The file that starts this program again. An AppImage and the portable program of Windows run from a place that goes
 * with the process: what the system keeps must name the file that a person has.
 */
export const programFile = ({
  appImagePath,
  portablePath,
}: Pick<Config, 'appImagePath' | 'portablePath'>): string => {
  const whole: Partial<Record<NodeJS.Platform, string | undefined>> = {
    linux: appImagePath,
    win32: portablePath,
  };
  return whole[process.platform] ?? app.getPath('exe');
};
