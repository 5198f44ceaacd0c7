import { join } from 'node:path';

/**
 * Expands a leading `~` as a shell does: `~`, `~/agents` and, on Windows, `~\\agents`. Another user's folder
 * (`~name`) stays as it is.
 */
export const expandHome = (
  path: string,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string => {
  if (path === '~') return home;
  const isOurs = path.startsWith('~/') || (platform === 'win32' && path.startsWith('~\\'));
  return isOurs ? join(home, path.slice(2)) : path;
};
