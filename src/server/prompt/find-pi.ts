// Apart from the answers, because it alone looks outside the root and the run.
import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** How far above its program a package's directory can be. */
const MAX_PARENTS = 6;

const isPiPackage = (directory: string): boolean => {
  try {
    const { name } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { name?: unknown };
    return typeof name === 'string' && name.endsWith('/pi-coding-agent');
  } catch {
    return false;
  }
};

/**
 * The directory of the pi package on a search path, which pi's own prompt names. Undefined if there is none.
 * Nothing is run.
 */
export const findPiDirectory = (searchPath: string): string | undefined => {
  for (const place of searchPath.split(delimiter).filter((path) => path !== '')) {
    try {
      let directory = dirname(realpathSync.native(join(place, 'pi')));
      for (let parents = 0; parents < MAX_PARENTS; parents++) {
        if (isPiPackage(directory)) return directory;
        directory = dirname(directory);
      }
    } catch {
      // No pi there.
    }
  }
  return undefined;
};
