import { type FSWatcher, watch } from 'node:fs';
import { lstat, mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import { type EtagOf, namesEtag } from '../platform/etag.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import { openAnywhere } from '../platform/regular-file.ts';
import { createSharedReads } from '../platform/shared-reads.ts';
import { formatModels, type Models, otherMembers, parseModels } from './parse-models.ts';

/** The current models in the file, or those of its last valid version. The same object until something changes. */
export interface ModelsSnapshot {
  /** Undefined if no valid version was ever read. */
  models: Models | undefined;
  /** A sentence about the file's current problem. */
  problem: string | undefined;
  /** The ETag of the bytes on disk, or null if they can't be read. */
  etag: string | null;
}

/** The models file. */
export interface ModelsFile {
  /** Returns the result of the last read. */
  current(): ModelsSnapshot;
  /** Reads the file and returns its current state, so that the next request sees an edit. */
  read(): Promise<ModelsSnapshot>;
  /**
   * Writes the entire file if its ETag matches `ifMatch`. Keeps other members. Throws `file_changed`. Returns the new
   * ETag.
   */
  write(models: Models, ifMatch: string | undefined): Promise<string>;
}

/** A larger file isn't a models file. */
const MAX_BYTES = 8 * 1024 * 1024;

type Found = { bytes: Buffer } | { problem: string };

const readWhole = async (
  path: string,
): Promise<Found & { fingerprint: string; mayKeep: (at: number) => boolean }> => {
  const file = await openAnywhere(path);
  try {
    const stats = await file.stat({ bigint: true });
    const fingerprint = fingerprintOf(stats);
    const about = {
      fingerprint: fingerprint.text,
      mayKeep: (at: number) => mayKeepRead(fingerprint, at),
    };
    if (!stats.isFile())
      return { problem: 'The models file is not a regular file. Move it somewhere else.', ...about };
    if (stats.size > MAX_BYTES)
      return { problem: 'The models file is larger than the limit of 8 MiB. Shorten it.', ...about };
    return { bytes: await file.readFile(), ...about };
  } finally {
    await file.close();
  }
};

/** Creates the models file at a path. Caches the content until the file's fingerprint changes. */
export const createModelsFile = (path: string, clock: Clock, etagOf: EtagOf): ModelsFile => {
  const lock = createKeyedLock();
  const shared = createSharedReads<ModelsSnapshot>();
  let good: Models | undefined;
  let current: ModelsSnapshot = { models: undefined, problem: undefined, etag: null };
  let known: { fingerprint: string; mayKeep: boolean } | undefined;

  const adopt = (
    etag: string | null,
    models: Models | undefined,
    problem: string | undefined,
  ): ModelsSnapshot => {
    good = models ?? good;
    if (etag !== current.etag || problem !== current.problem || good !== current.models) {
      current = Object.freeze({ models: good, problem, etag });
    }
    return current;
  };

  const readAnew = async (): Promise<ModelsSnapshot> => {
    const readAt = clock.now();
    const found = await readWhole(path);
    known = { fingerprint: found.fingerprint, mayKeep: found.mayKeep(readAt) };
    if ('problem' in found) return adopt(null, undefined, found.problem);
    const etag = etagOf(found.bytes);
    if (etag === current.etag) return current;
    const { models, problem } = parseModels(found.bytes.toString('utf8'));
    return adopt(etag, models, problem);
  };

  const look = async (): Promise<ModelsSnapshot> => {
    try {
      if (known?.mayKeep) {
        if (fingerprintOf(await stat(path, { bigint: true })).text === known.fingerprint) return current;
      }
      return await readAnew();
    } catch (error) {
      known = undefined;
      const what = isNotFound(error) ? 'doesn’t exist' : `can’t be read (${systemCode(error) ?? 'unknown'})`;
      const meanwhile = good ? '. dot-mi uses the last good version until it can read the file again' : '';
      return adopt(null, undefined, `The models file ${what}${meanwhile}.`);
    }
  };

  const read = () => shared.read('file', look);

  /** Reads the file's other members, so that a write keeps them. An unreadable file has none. */
  const readOthers = async () => {
    const found = await readWhole(path).catch(() => undefined);
    return otherMembers(found && 'bytes' in found ? found.bytes.toString('utf8') : '');
  };

  return {
    current: () => current,
    read,
    write: (models, ifMatch) =>
      lock.run('file', async () => {
        const check = async () => {
          if (ifMatch === undefined) return;
          const { etag } = await read();
          if (namesEtag(ifMatch, etag)) return;
          throw new AppError(
            'file_changed',
            'Another program changed the models file. Reload it, then make your change again.',
            {
              etag,
            },
          );
        };
        await check();
        const bytes = Buffer.from(formatModels(models, await readOthers()));
        await mkdir(dirname(path), { recursive: true });
        await writeAtomically(path, bytes, { beforeReplace: check }).catch((error: unknown) => {
          if (systemCode(error) !== 'EISDIR') throw error;
          throw new AppError(
            'not_a_file',
            'There is a directory where the models file should be. Move the directory somewhere else.',
          );
        });
        known = undefined;
        return etagOf(bytes);
      }),
  };
};

/** Writes the bundled prices to the models file's path, unless it exists. */
export const ensureModelsFile = async (path: string, bundled: string): Promise<void> => {
  // Never replace an existing file. Check first, because we may not have permission to write to its directory.
  const isThere = await lstat(path).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
  if (isThere) return;
  await mkdir(dirname(path), { recursive: true });
  await writeAtomically(path, await readFile(bundled), { exclusive: true }).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
};

/** How long to wait after an event, because a program that saves a file causes several, and one read is enough. */
const QUIET_MS = 50;

/**
 * Calls `onChange` after another program changes the content of the models file at `path`. Watches its directory,
 * because a save may replace the file. If watching fails, nothing is reported, but each request reads the file
 * anyway.
 */
export const watchModelsFile = (path: string, file: ModelsFile, logger: Logger, onChange: () => void) => {
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
