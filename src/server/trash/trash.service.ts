import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { isAgentId } from '../../shared/api/names.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { TRASH_DAYS, type TrashEntry } from '../../shared/api/trash.ts';
import { AppError, fromSystemError, isNotFound, systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import { entryProblemOf } from '../platform/entry-problem.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { removeTree } from '../platform/remove-tree.ts';
import { isOccupied, type Root, withRoot } from '../platform/root.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ENTRY_NAME = /^([A-Za-z0-9][A-Za-z0-9._-]*)@([0-9a-z]+)-[0-9a-f]{12}$/;

// <root>/.trash/<entry>/ holds `entry.json` and the agent's unchanged directory.
const TRASH = '.trash';
const AGENTS = 'agents';
const RECORD = 'entry.json';
const CONTENT = 'agent';

/** A record has an id and a time. Another user of the root could put gigabytes in its place. */
const MAX_RECORD_BYTES = 4096;

/** Each needs two open files. */
const READ_AT_ONCE = 32;

const recordSchema = z.object({ id: z.string().refine(isAgentId), deletedAt: z.iso.datetime() });

/** Keeps deleted agents for {@link TRASH_DAYS} days after their deletion. */
export interface TrashService {
  /** Newest first. */
  list(): Promise<TrashEntry[]>;
  /** Returns the id of the restored agent: `name`, or else its own. */
  restore(entry: string, name?: string): Promise<string>;
  remove(entry: string): Promise<void>;
  /** Moves whatever is at an agent's path to the trash, in one step. The caller holds the agent's lock. */
  moveToTrash(id: string): Promise<string>;
  /** Removes entries older than {@link TRASH_DAYS} days, and what a crash left of a finished restore. */
  purge(): Promise<void>;
}

const notFound = () =>
  new AppError('trash_entry_not_found', 'The trash has no such entry. GET /api/trash lists its entries.');

/** SECURITY: a symlink in place of the trash would move agents out of the root. */
const openTrash = async (root: DirectoryHandle): Promise<DirectoryHandle | undefined> => {
  try {
    return await root.open(TRASH);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (!isNotFound(error)) throw error;
    throw new AppError(
      'not_a_directory',
      'The trash, ".trash" in the root, is not a regular directory. Move it away.',
      {},
      error,
    );
  }
};

/** SECURITY: a symlink in place of `agents` would move a restored agent out of the root. */
const openAgents = async (root: DirectoryHandle): Promise<DirectoryHandle> => {
  await mkdir(root.entry(AGENTS)).catch((error) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  return root.open(AGENTS).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new AppError(
      'root_unavailable',
      '"agents" in the root is not a regular directory. Move it away or replace it with a directory.',
    );
  });
};

const makeTrash = async (root: DirectoryHandle): Promise<DirectoryHandle> => {
  const existing = await openTrash(root);
  if (!existing) {
    await mkdir(root.entry(TRASH), { mode: 0o700 }).catch((error) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  }
  const trash = existing ?? (await root.open(TRASH));
  // Each time: a crash can come in between. The root is often a git repository; deleted agents are not part of it.
  try {
    await writeFile(trash.entry('.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      await trash.close();
      throw error;
    }
  }
  return trash;
};

const readRecord = async (place: DirectoryHandle): Promise<z.infer<typeof recordSchema> | undefined> => {
  // SECURITY: we didn't write a link's target, and a pipe in the record's place never ends.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(place.entry(RECORD), flags);
  try {
    await place.verify();
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_RECORD_BYTES) return undefined;
    return recordSchema.parse(JSON.parse(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
};

/** Reads a record, or returns undefined if it is missing or damaged. Throws if the system denies access. */
const readRecordIfSound = async (place: DirectoryHandle) => {
  try {
    return await readRecord(place);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || isNotFound(error)) return undefined;
    throw error;
  }
};

/** An entry that can't be restored, with what its name says. Undefined if the name says nothing. */
const entryWithProblem = (entry: string, problem: EntryProblem): TrashEntry | undefined => {
  const [, id, deletedAt] = ENTRY_NAME.exec(entry) ?? [];
  const deletedAtMs = parseInt(deletedAt ?? '', 36);
  // The name may be of another program, with a time that no date has.
  if (id === undefined || Number.isNaN(new Date(deletedAtMs).getTime())) return undefined;
  return { entry, id, deletedAt: new Date(deletedAtMs).toISOString(), problem };
};

const damagedRecord = (entry: string): EntryProblem => ({
  code: 'unreadable',
  message: `The record of this deleted agent is damaged. Its files are in .trash/${entry}/${CONTENT} in the root.`,
});

const readEntry = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry | undefined> => {
  if (!ENTRY_NAME.test(entry)) return undefined;
  try {
    return await withDirectory(trash.open(entry), async (place) => {
      const record = await readRecordIfSound(place);
      await lstat(place.entry(CONTENT));
      return record ? { entry, ...record } : entryWithProblem(entry, damagedRecord(entry));
    });
  } catch (error) {
    // An entry without content is left from a crash between two steps, and there is nothing to restore.
    if (isNotFound(error)) return undefined;
    return entryWithProblem(entry, entryProblemOf(error, 'This deleted agent'));
  }
};

const hasContent = (trash: DirectoryHandle, entry: string): Promise<boolean> =>
  withDirectory(trash.open(entry), (place) => isOccupied(place.entry(CONTENT))).catch((error: unknown) => {
    if (isNotFound(error)) return false;
    throw error;
  });

/** Creates the trash service of a root. */
export const createTrashService = (root: Root, clock: Clock, agentLock: KeyedLock): TrashService => {
  /** An entry with a problem stays until a person has looked at it. */
  const isExpired = ({ deletedAt, problem }: TrashEntry) =>
    !problem && clock.now() - Date.parse(deletedAt) > TRASH_DAYS * DAY_MS;

  /** Runs `use` with the root and its trash open. Returns undefined if there is no trash yet. */
  const withTrash = <T>(
    use: (trash: DirectoryHandle, directory: DirectoryHandle) => Promise<T>,
  ): Promise<T | undefined> =>
    withRoot(root, async (directory) => {
      const trash = await openTrash(directory);
      return trash && withDirectory(trash, () => use(trash, directory));
    });

  const requireEntry = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry> => {
    const found = await readEntry(trash, entry);
    // If it has expired, it may already be on its way out.
    if (!found || isExpired(found)) throw notFound();
    return found;
  };

  const readAll = async (trash: DirectoryHandle): Promise<TrashEntry[]> => {
    const names = (await trash.list()).map(({ name }) => name);
    const kept: TrashEntry[] = [];
    for (let first = 0; first < names.length; first += READ_AT_ONCE) {
      const entries = await Promise.all(
        names.slice(first, first + READ_AT_ONCE).map((name) => readEntry(trash, name)),
      );
      for (const entry of entries) if (entry && !isExpired(entry)) kept.push(entry);
    }
    return kept;
  };

  const requireRestorable = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry> => {
    const found = await requireEntry(trash, entry);
    if (found.problem) throw new AppError('trash_entry_unreadable', found.problem.message);
    return found;
  };

  const restoreInto = async (agents: DirectoryHandle, trash: DirectoryHandle, entry: string, id: string) => {
    if (await isOccupied(agents.entry(id))) {
      throw new AppError(
        'agent_exists',
        `An agent "${id}" already exists. Restore the old one under another name.`,
      );
    }
    await withDirectory(trash.open(entry), async (place) => {
      await place.verify();
      await agents.verify();
      await rename(place.entry(CONTENT), agents.entry(id));
    });
    await removeTree(trash, entry);
  };

  return {
    async list() {
      const kept = (await withTrash(readAll)) ?? [];
      return kept.sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : a.deletedAt > b.deletedAt ? -1 : 0));
    },

    async restore(entry, name) {
      const restored = await withTrash(async (trash, directory) => {
        const own = (await requireRestorable(trash, entry)).id;
        const id = name ?? own;
        const restoreLocked = async () => {
          // Check again under the lock, because another restore may have been first.
          await requireRestorable(trash, entry);
          await withDirectory(openAgents(directory), (agents) => restoreInto(agents, trash, entry, id));
          return id;
        };
        // The entry is locked by its own id. Lock in a fixed order, so that two restores can't deadlock.
        const [first, second] = own < id ? [own, id] : [id, own];
        if (first === second) return agentLock.run(first, restoreLocked);
        return agentLock.run(first, () => agentLock.run(second, restoreLocked));
      });
      if (restored === undefined) throw notFound();
      return restored;
    },

    async remove(entry) {
      const removed = await withTrash(async (trash) => {
        const { id } = await requireEntry(trash, entry);
        await agentLock.run(id, async () => {
          await requireEntry(trash, entry);
          await removeTree(trash, entry);
        });
        return id;
      });
      if (removed === undefined) throw notFound();
    },

    moveToTrash: (id) =>
      withRoot(root, (directory) =>
        withDirectory(makeTrash(directory), async (trash) => {
          const deletedAtMs = clock.now();
          const entry = `${id}@${deletedAtMs.toString(36)}-${randomBytes(6).toString('hex')}`;
          const record = { id, deletedAt: new Date(deletedAtMs).toISOString() };
          await mkdir(trash.entry(entry), { mode: 0o700 });
          try {
            await withDirectory(trash.open(entry), async (place) => {
              await writeAtomically(place.entry(RECORD), Buffer.from(JSON.stringify(record)));
              await withDirectory(openAgents(directory), async (agents) => {
                await place.verify();
                await agents.verify();
                await rename(agents.entry(id), place.entry(CONTENT));
              });
            });
          } catch (error) {
            await removeTree(trash, entry);
            throw error;
          }
          return entry;
        }),
      ),

    async purge() {
      await withTrash(async (trash) => {
        for (const { name } of await trash.list()) {
          const deletedAtMs = parseInt(ENTRY_NAME.exec(name)?.[2] ?? '', 36);
          if (Number.isNaN(deletedAtMs)) continue;
          const entry = await readEntry(trash, name);
          try {
            const remains = !entry && clock.now() - deletedAtMs > DAY_MS && !(await hasContent(trash, name));
            if (remains || (entry && isExpired(entry))) await removeTree(trash, name);
          } catch (error) {
            // The others can still be removed. This one is tried again the next day.
            if (!fromSystemError(error)) throw error;
          }
        }
      });
    },
  };
};
