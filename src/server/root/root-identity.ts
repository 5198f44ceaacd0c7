import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { isNotFound, systemCode } from '../platform/app-error.ts';
import { writeFileIn } from '../platform/atomic-write.ts';
import {
  type DirectoryHandle,
  openDirectory,
  openOrMake,
  withDirectory,
} from '../platform/directory-handle.ts';
import { createJsonStore } from '../platform/json-store.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { isSamePath } from '../platform/root.ts';

/** The directory in a root that holds its mark. */
const MARK_DIRECTORY = '.dot-mi';
const MARK_FILE = 'root-id';
const MARK = /^[0-9a-f]{64}\n?$/;

const rootSchema = z.object({
  /** Identifies the root to clients and in file names: 32 hex digits. */
  id: z.string(),
  /** Changes when the root turns up elsewhere as another directory, because its files may be others then. */
  place: z.string(),
  /** The secret in the root's mark, or null if dot-mi couldn't write one. */
  mark: z.string().nullable(),
  /** Where dot-mi last saw the root, without symlinks. */
  path: z.string(),
  /** Which directory that was. Null if it didn't exist. */
  directory: z.string().nullable(),
});
const store = createJsonStore(z.object({ roots: z.array(rootSchema) }));

type KnownRoot = z.infer<typeof rootSchema>;

/** How many roots to remember. Beyond it, those seen longest ago are forgotten. */
const MAX_ROOTS = 1000;

/** A root's own id, which moves with it, and the place to which the operator's trust belongs. */
export type RootIdentity = Pick<KnownRoot, 'id' | 'place'>;

/** Identifies roots by a secret mark in each, `.dot-mi/root-id`, and a list in dot-mi's data. */
export interface RootIdentities {
  /**
   * Identifies the root at a path, and marks it. Throws if the list can't be read or written, because budgets, keys
   * and trust depend on it.
   */
  identify(path: string): Promise<RootIdentity>;
  /** Returns the place of the root that is at a path now, or undefined for an unknown one. Writes nothing. */
  placeOf(path: string): Promise<string | undefined>;
}

interface Found {
  readonly path: string;
  readonly directory: string | null;
  readonly mark: Mark;
}

/** A root's mark, undefined if there is none that dot-mi could have written, or false if it can't be read. */
type Mark = string | undefined | false;

const readMark = async (root: DirectoryHandle): Promise<Mark> => {
  try {
    // SECURITY: the handles follow no link, so the mark is a file of this root.
    return await withDirectory(root.open(MARK_DIRECTORY), async (directory) => {
      const file = await directory.openFile(MARK_FILE);
      try {
        const stats = await file.stat();
        const isOurs = process.geteuid === undefined || stats.uid === process.geteuid();
        if (!stats.isFile() || stats.size > 65 || !isOurs) return undefined;
        const text = await file.readFile('utf8');
        return MARK.test(text) ? text.trim() : undefined;
      } finally {
        await file.close();
      }
    });
  } catch (error) {
    return isNotFound(error) ? undefined : false;
  }
};

const writeIgnored = async (directory: DirectoryHandle): Promise<void> => {
  // The root is often a git repository, and a clone isn't this root.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await directory.openFile('.gitignore', flags).catch((error: unknown) => {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  });
  await file?.writeFile('*\n').finally(() => file.close());
};

/** Writes a root's mark. Returns whether it could. */
const writeMark = async (path: string, mark: string): Promise<boolean> => {
  try {
    await withDirectory(openDirectory(path), (root) =>
      withDirectory(openOrMake(root, MARK_DIRECTORY, 0o700), async (directory) => {
        await writeIgnored(directory);
        await writeFileIn(directory, MARK_FILE, Buffer.from(`${mark}\n`), { mode: 0o600 });
      }),
    );
    return true;
  } catch {
    // The root is read-only, or something else has the mark's name.
    return false;
  }
};

/** Resolves a path that may not exist. */
const resolved = async (path: string): Promise<string> =>
  realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  );

/**
 * Identifies a directory. An inode is reused after its directory is deleted, but not with the same time of birth. A
 * disk's number can change with each start of the computer, so it only counts where there is no time of birth.
 */
const directoryOf = ({ dev, ino, birthtimeNs }: BigIntStats): string =>
  [birthtimeNs === 0n ? dev : '', ino, birthtimeNs].join(':');

const lookAt = async (path: string): Promise<Found> => {
  const realPath = await resolved(path);
  try {
    const stats = await stat(realPath, { bigint: true });
    if (!stats.isDirectory()) return { path: realPath, directory: null, mark: undefined };
    const mark = await withDirectory(openDirectory(realPath), readMark);
    return { path: realPath, directory: directoryOf(stats), mark };
  } catch (error) {
    return { path: realPath, directory: null, mark: isNotFound(error) ? undefined : false };
  }
};

/** Returns whether a root is still where dot-mi last saw it. True if that can't be read. */
const isStillThere = async ({ path, mark }: KnownRoot): Promise<boolean> => {
  const there = await lookAt(path);
  return there.mark === false || there.mark === mark;
};

const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Creates {@link RootIdentities} with its list at a path, mode 0600. */
export const createRootIdentities = (listPath: string): RootIdentities => {
  const lock = createKeyedLock();

  /**
   * Finds the known root that this is.
   *
   * SECURITY: a mark alone proves nothing, because a copy has it too. It counts in the directory where dot-mi last saw
   * it, or if nothing is left of that root. Then it was moved to another disk, and keeps all but its trust.
   */
  const match = async (known: readonly KnownRoot[], found: Found): Promise<KnownRoot | undefined> => {
    const isSameDirectory = ({ directory }: KnownRoot) => directory !== null && directory === found.directory;
    const isSamePlace = (root: KnownRoot) => isSamePath(root.path, found.path);
    if (found.directory === null) return known.findLast(isSamePlace);
    const marked = known.find(({ mark }) => mark !== null && mark === found.mark);
    if (marked && isSameDirectory(marked)) return marked;
    if (marked && (isSamePlace(marked) || !(await isStillThere(marked))))
      return { ...marked, place: randomHex(16) };
    const same = known.findLast(isSameDirectory);
    if (same) return same;
    if (typeof found.mark === 'string' && !marked) return undefined;
    // dot-mi could never mark this one, so only its path tells.
    const unmarked = known.findLast((root) => root.mark === null && isSamePlace(root));
    return unmarked && { ...unmarked, place: randomHex(16) };
  };

  const identify = async (path: string): Promise<RootIdentity> => {
    const known = (await store.read(listPath))?.roots ?? [];
    const found = await lookAt(path);
    const before = await match(known, found);
    const root = before ?? { id: randomHex(16), place: randomHex(16), mark: null };
    const isCopy = known.some(({ id, mark }) => mark === found.mark && id !== root.id);
    const mark = (!isCopy && found.mark) || root.mark || randomHex(32);
    const isReadable = found.directory !== null && found.mark !== false;
    const isMarked = isReadable && (found.mark === mark || (await writeMark(found.path, mark)));
    const now: KnownRoot = {
      id: root.id,
      place: root.place,
      mark: isMarked ? mark : isReadable ? null : root.mark,
      path: found.path,
      directory: found.directory ?? before?.directory ?? null,
    };
    const others = known.filter(({ id }) => id !== now.id);
    // The last one of a path is the one that was seen there last.
    if (JSON.stringify(known.at(-1)) !== JSON.stringify(now))
      await store.write(listPath, { roots: [...others, now].slice(-MAX_ROOTS) });
    return { id: now.id, place: now.place };
  };

  return {
    identify: (path) => lock.run(listPath, () => identify(path)),
    placeOf: (path) =>
      lock.run(listPath, async () => {
        const known = (await store.read(listPath))?.roots ?? [];
        return (await match(known, await lookAt(path)))?.place;
      }),
  };
};
