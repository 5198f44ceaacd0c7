import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { agentIdSchema, entryNameSchema, LINK_KINDS } from '../../shared/api/names.ts';
import { type Caller, perCallerKind } from '../platform/caller.ts';
import { createJsonStore, versionedText } from '../platform/json-store.ts';
import type { Logger } from '../platform/logger.ts';

/** For each kind of caller: how many bulk changes can be undone, and how many of their links are kept in memory. */
const MAX_UNDO = 20;
const MAX_UNDO_LINKS = 200_000;
/** A change with more links isn't written to disk, because formatting it would block other requests. */
const MAX_STORED_LINKS = 50_000;

const place = { agent: agentIdSchema, kind: z.enum(LINK_KINDS), name: entryNameSchema };
const done = z.discriminatedUnion('did', [
  z.object({ ...place, did: z.literal('link'), text: z.string(), replaced: z.string().optional() }),
  z.object({ ...place, did: z.literal('unlink'), text: z.string() }),
]);
const store = createJsonStore(z.object({ done: z.array(done), folders: z.array(z.string()) }));

/** One change to a link. `text` is the link's text. */
export type Done = z.infer<typeof done>;

/** One request's changes, and the directories that it created, as `<agent>/<kind>`. */
export interface Batch {
  /** Who made the request. */
  readonly by: Caller['kind'];
  readonly done: readonly Done[];
  readonly folders: ReadonlySet<string>;
}

/** Stores a root's last bulk changes, so that they can be undone. Its functions never throw. */
export interface UndoStore {
  get(id: string): Promise<Batch | undefined>;
  set(id: string, batch: Batch): Promise<void>;
  remove(id: string): Promise<void>;
}

const ID = /^[0-9a-f-]{36}$/;
const fileNameOf = (id: string): string => `${id}.json`;

type Shelf = ReturnType<typeof createShelf>;

/** Creates the part of the store that one kind of caller can fill. */
const createShelf = (by: Caller['kind'], directory: string, logger: Pick<Logger, 'warn'>) => {
  const known = new LRUCache<string, Batch>({
    max: MAX_UNDO,
    maxSize: MAX_UNDO_LINKS,
    sizeCalculation: ({ done }) => Math.max(1, done.length),
  });
  const pathOf = (id: string): string => join(directory, fileNameOf(id));

  /** Runs `task`. If files can't be written, undo still works until dot-mi quits. */
  const attempt = async <T>(task: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await task();
    } catch (error) {
      logger.warn({ err: error, directory }, 'the undo history can’t be saved to disk');
      return undefined;
    }
  };

  const removeOldest = async (): Promise<void> => {
    const files = (await readdir(directory)).filter((name) => ID.test(name.replace(/\.json$/, '')));
    if (files.length <= MAX_UNDO) return;
    const aged = await Promise.all(
      files.map(async (name) => ({ name, atMs: (await stat(join(directory, name))).mtimeMs })),
    );
    const old = aged.sort((a, b) => b.atMs - a.atMs).slice(MAX_UNDO);
    await Promise.all(old.map(({ name }) => rm(join(directory, name), { force: true })));
  };

  return {
    get: async (id: string): Promise<Batch | undefined> =>
      known.get(id) ??
      (await attempt(async () => {
        const kept = ID.test(id) ? await store.read(pathOf(id)) : undefined;
        return kept && { by, done: kept.done, folders: new Set(kept.folders) };
      })),

    async set(id: string, batch: Batch): Promise<void> {
      known.set(id, batch);
      if (batch.done.length > MAX_STORED_LINKS) return;
      await attempt(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const text = versionedText({ done: batch.done, folders: [...batch.folders] });
        // Don't flush the file to disk. After a power cut, users must check the links before an undo anyway.
        await writeFile(pathOf(id), text, { mode: 0o600 });
        await removeOldest();
      });
    },

    async remove(id: string): Promise<void> {
      known.delete(id);
      await attempt(() => rm(pathOf(id), { force: true }));
    },
  };
};

/**
 * Creates an {@link UndoStore} with one file per change in `directory`, mode 0600. SECURITY: each kind of caller has its
 * own part, also on disk, so that a caller without a token can't push out the operator's changes.
 */
export const createUndoStore = (directory: string, logger: Pick<Logger, 'warn'>): UndoStore => {
  const shelves = perCallerKind(
    (by): Shelf => createShelf(by, by === 'operator' ? directory : join(directory, by), logger),
  );
  const all = Object.values(shelves);
  return {
    async get(id) {
      for (const shelf of all) {
        const batch = await shelf.get(id);
        if (batch) return batch;
      }
      return undefined;
    },
    set: (id, batch) => shelves[batch.by].set(id, batch),
    async remove(id) {
      await Promise.all(all.map((shelf) => shelf.remove(id)));
    },
  };
};
