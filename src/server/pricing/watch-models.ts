import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Logger } from '../platform/logger.ts';
import type { ModelsFile } from './models-file.ts';

/** A program that saves a file tells so several times; one look is enough. */
const QUIET_MS = 50;

/**
 * Calls `onChange` after another program changed what the models file of `path` says. Its directory is watched, since a save may put
 * another file in its place. Where it cannot be watched nothing is told: each request reads the file anyway.
 */
export const watchModels = (path: string, file: ModelsFile, logger: Logger, onChange: () => void) => {
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let published = file.current();

  const look = async () => {
    // A request may have read it before this, and nobody else has told of it.
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
