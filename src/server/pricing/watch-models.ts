import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Logger } from '../platform/logger.ts';
import type { ModelsFile } from './models-file.ts';

/** How long to wait after an event, because a program that saves a file causes several, and one read is enough. */
const QUIET_MS = 50;

/**
 * Calls `onChange` after another program changes the content of the models file at `path`. Watches its directory,
 * because a save may replace the file. If watching fails, nothing is reported, but each request reads the file
 * anyway.
 */
export const watchModels = (path: string, file: ModelsFile, logger: Logger, onChange: () => void) => {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let published = file.current();

  const look = async () => {
    // A request may have read the change already, but without reporting it.
    const now = await file.read();
    if (now !== published) onChange();
    published = now;
  };

  const end = () => {
    clearTimeout(timer);
    watcher?.close();
    watcher = undefined;
  };

  return {
    start() {
      try {
        watcher = watch(dirname(path), (_event, name) => {
          if (name !== null && name !== basename(path)) return;
          clearTimeout(timer);
          timer = setTimeout(() => void look(), QUIET_MS);
        });
        watcher.on('error', (error) => {
          logger.debug({ err: error }, 'dot-mi no longer watches the models file');
          end();
        });
      } catch (error) {
        logger.debug({ err: error }, 'dot-mi cannot watch the models file');
      }
    },
    stop: end,
  };
};
