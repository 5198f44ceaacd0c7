import { join } from 'node:path';

/**
 * Expands a leading `~` as a shell does: `~`, `~/agents` and, on Windows, `~\\agents`. Doesn't expand another user's
 * directory (`~name`).
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
