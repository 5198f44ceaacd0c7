import { randomBytes } from 'node:crypto';
import { cp, lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLED_SKILL } from '../../shared/api/catalog-install.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { isOccupied, type Root, rootUnavailable } from '../platform/root.ts';
import { resolveSharedFolder, sharedOutsideRoot } from '../platform/shared-folder.ts';

/** Adds the skill that ships with dot-mi to the root, and removes it again. */
export interface BundledSkill {
  /** Returns false if the root has this very skill. Throws `skill_differs` if it has another of its name. */
  install(): Promise<boolean>;
  /** Removes it if nothing in it was changed. Throws `skill_differs` or `shared_entry_not_found`. */
  uninstall(): Promise<void>;
}

const skillDiffers = (what: string) =>
  new AppError(
    'skill_differs',
    `shared/skills has a "${BUNDLED_SKILL}" that differs from the skill of this dot-mi, so ${what}. Rename or remove it first.`,
  );

const notADirectory = (folder: string) =>
  new AppError('not_a_directory', `"${folder}" is not a regular directory. Replace it with a directory.`);

/** The relative paths of the files of a directory, sorted. Undefined if something in it is no file. */
const filesIn = async (directory: string): Promise<string[] | undefined> => {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  if (entries.some((entry) => !entry.isFile() && !entry.isDirectory())) return undefined;
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length))
    .sort();
};

const isSameFile = async (one: string, other: string): Promise<boolean> => {
  const [a, b] = await Promise.all([stat(one), stat(other)]);
  if (a.size !== b.size) return false;
  const [left, right] = await Promise.all([readFile(one), readFile(other)]);
  return left.equals(right);
};

const isSame = async (one: string, other: string): Promise<boolean> => {
  const [names, others] = await Promise.all([filesIn(one), filesIn(other)]);
  if (!names || !others || names.join('\n') !== others.join('\n')) return false;
  const same = await Promise.all(names.map((name) => isSameFile(one + name, other + name)));
  return same.every(Boolean);
};

/** Creates a {@link BundledSkill}. `template` is the path of the starter root that ships with dot-mi. */
export const createBundledSkill = (root: Root, template: string): BundledSkill => {
  const source = join(template, 'shared', 'skills', BUNDLED_SKILL);
  const lock = createKeyedLock();

  const isOurs = async (path: string): Promise<boolean> =>
    (await lstat(path)).isDirectory() && isSame(source, path);

  /** Creates a directory unless it is there. SECURITY: through a linked one, dot-mi would write elsewhere. */
  const requireOwn = async (path: string, shown: string): Promise<void> => {
    await mkdir(path).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory()) throw notADirectory(shown);
  };

  const findFolder = async (): Promise<string | undefined> => {
    const folder = await resolveSharedFolder(root, 'skills');
    if (folder === 'outside') throw sharedOutsideRoot('skills');
    return folder;
  };

  const requireFolder = async (): Promise<string> => {
    const found = await findFolder();
    if (found !== undefined) {
      if (!(await stat(found)).isDirectory()) throw notADirectory('shared/skills');
      return found;
    }
    if (!(await isOccupied(root.path))) throw rootUnavailable();
    await requireOwn(join(root.path, 'shared'), 'shared');
    await requireOwn(root.shared('skills'), 'shared/skills');
    return root.shared('skills');
  };

  return {
    install: () =>
      lock.run(BUNDLED_SKILL, async () => {
        const folder = await requireFolder();
        const path = join(folder, BUNDLED_SKILL);
        if (await isOccupied(path)) {
          if (await isOurs(path)) return false;
          throw skillDiffers('dot-mi did not add its own');
        }
        // A crash leaves no half skill, and the catalog shows no name that begins with a dot.
        const making = join(folder, `.${BUNDLED_SKILL}-${randomBytes(6).toString('hex')}.tmp`);
        try {
          await cp(source, making, { recursive: true });
          await rename(making, path);
        } catch (error) {
          await rm(making, { recursive: true, force: true });
          if (await isOccupied(path)) throw skillDiffers('dot-mi did not add its own');
          throw error;
        }
        return true;
      }),

    uninstall: () =>
      lock.run(BUNDLED_SKILL, async () => {
        const folder = await findFolder();
        const path = join(folder ?? root.shared('skills'), BUNDLED_SKILL);
        const ours = await isOurs(path).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        if (ours === undefined) {
          throw new AppError('shared_entry_not_found', `shared/skills has no "${BUNDLED_SKILL}".`);
        }
        if (!ours) throw skillDiffers('dot-mi did not remove it');
        await rm(path, { recursive: true });
      }),
  };
};
