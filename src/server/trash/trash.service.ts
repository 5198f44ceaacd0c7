import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isAgentId } from '../../shared/api/names.ts';
import { TRASH_DAYS, type TrashEntry } from '../../shared/api/trash.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { isOccupied, type Root, resolveRoot } from '../platform/root.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ENTRY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*@([0-9a-z]+)-[0-9a-f]{12}$/;

// <root>/.trash/<entry>/ holds `entry.json` and, beside it, the agent's directory as it was.
const RECORD = 'entry.json';
const CONTENT = 'agent';

const recordSchema = z.object({ id: z.string().refine(isAgentId), deletedAt: z.iso.datetime() });

/** Keeps deleted agents for {@link TRASH_DAYS} days from their deletion. */
export interface TrashService {
  /** Newest first. */
  list(): Promise<TrashEntry[]>;
  /** Returns the id that is back. */
  restore(entry: string): Promise<string>;
  remove(entry: string): Promise<void>;
  /** Moves what stands at an agent's place to the trash, in one step. The caller holds the agent's lock. */
  moveToTrash(id: string): Promise<string>;
  /** Removes for good what is older than {@link TRASH_DAYS} days, and what a crash left of a finished restore. */
  purge(): Promise<void>;
}

const notFound = () =>
  new AppError(
    'trash_entry_not_found',
    'There is no such entry in the trash; GET /api/trash lists those there are.',
  );

/** Makes the service over a root. */
export const createTrashService = (root: Root, clock: Clock, agentLock: KeyedLock): TrashService => {
  const entryPath = (entry: string) => join(root.trash, entry);

  /** SECURITY: a symlink in the trash's place would move agents out of the root. */
  const requireOwnTrash = async () => {
    await resolveRoot(root);
    const stats = await lstat(root.trash).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (stats && !stats.isDirectory()) {
      throw new AppError(
        'not_a_directory',
        'The trash, ".trash" in the root, is not a directory of its own; move it away.',
      );
    }
    return stats !== undefined;
  };

  const makeTrash = async () => {
    if (!(await requireOwnTrash())) await mkdir(root.trash, { recursive: true, mode: 0o700 });
    // Each time: a crash can come in between. The root is often a git repository; deleted agents are not part of it.
    await writeFile(join(root.trash, '.gitignore'), '*\n', { flag: 'wx' }).catch((error) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  };

  const readEntry = async (entry: string): Promise<TrashEntry | undefined> => {
    if (!ENTRY_NAME.test(entry)) return undefined;
    try {
      const [place, file] = await Promise.all([
        lstat(entryPath(entry)),
        lstat(join(entryPath(entry), RECORD)),
      ]);
      // SECURITY: what stands behind a link was not put here by us, and a pipe in the record's place never ends.
      if (!place.isDirectory() || !file.isFile()) return undefined;
      const record = recordSchema.parse(JSON.parse(await readFile(join(entryPath(entry), RECORD), 'utf8')));
      await lstat(join(entryPath(entry), CONTENT));
      return { entry, ...record };
    } catch (error) {
      // Without its content the entry is what a crash between two steps left: there is nothing to restore. One that
      // cannot be read must not hide the others.
      if (systemCode(error) !== undefined || error instanceof SyntaxError || error instanceof z.ZodError)
        return undefined;
      throw error;
    }
  };

  const isExpired = ({ deletedAt }: TrashEntry) => clock.now() - Date.parse(deletedAt) > TRASH_DAYS * DAY_MS;

  const requireEntry = async (entry: string) => {
    if (!(await requireOwnTrash())) throw notFound();
    const found = await readEntry(entry);
    // Too old: it may be under removal already.
    if (!found || isExpired(found)) throw notFound();
    return found;
  };

  /** SECURITY: through a symlink in its place an agent would be moved out of the root. */
  const requireOwnAgents = async () => {
    if (!(await isOccupied(root.agents))) await mkdir(root.agents);
    if (!(await lstat(root.agents)).isDirectory()) {
      throw new AppError(
        'root_unavailable',
        '"agents" in the root is not a directory of its own; move it away.',
      );
    }
  };

  const readAll = async (): Promise<TrashEntry[]> => {
    if (!(await requireOwnTrash())) return [];
    const entries = await Promise.all((await readdir(root.trash)).map(readEntry));
    return entries.filter((entry) => entry !== undefined);
  };

  return {
    async list() {
      const kept = (await readAll()).filter((entry) => !isExpired(entry));
      return kept.sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : a.deletedAt > b.deletedAt ? -1 : 0));
    },

    async restore(entry) {
      const { id } = await requireEntry(entry);
      return agentLock.run(id, async () => {
        // Again under the lock: another restore may have been first.
        await requireEntry(entry);
        await requireOwnAgents();
        if (await isOccupied(root.agent(id))) {
          throw new AppError(
            'agent_exists',
            `There is an agent "${id}" again; delete it before restoring the old one.`,
          );
        }
        await rename(join(entryPath(entry), CONTENT), root.agent(id));
        await rm(entryPath(entry), { recursive: true, force: true });
        return id;
      });
    },

    async remove(entry) {
      const { id } = await requireEntry(entry);
      await agentLock.run(id, async () => {
        await requireEntry(entry);
        await rm(entryPath(entry), { recursive: true, force: true });
      });
    },

    async moveToTrash(id) {
      await makeTrash();
      const deletedAtMs = clock.now();
      const entry = `${id}@${deletedAtMs.toString(36)}-${randomBytes(6).toString('hex')}`;
      await mkdir(entryPath(entry), { mode: 0o700 });
      try {
        const record = { id, deletedAt: new Date(deletedAtMs).toISOString() };
        await writeAtomically(join(entryPath(entry), RECORD), Buffer.from(JSON.stringify(record)));
        await rename(root.agent(id), join(entryPath(entry), CONTENT));
      } catch (error) {
        await rm(entryPath(entry), { recursive: true, force: true });
        throw error;
      }
      return entry;
    },

    async purge() {
      if (!(await requireOwnTrash())) return;
      for (const name of await readdir(root.trash)) {
        const deletedAtMs = parseInt(ENTRY_NAME.exec(name)?.[1] ?? '', 36);
        if (Number.isNaN(deletedAtMs)) continue;
        const entry = await readEntry(name);
        const remains =
          !entry && clock.now() - deletedAtMs > DAY_MS && !(await isOccupied(join(entryPath(name), CONTENT)));
        if (remains || (entry && isExpired(entry)))
          await rm(entryPath(name), { recursive: true, force: true });
      }
    },
  };
};
