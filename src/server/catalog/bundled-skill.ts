import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED_SKILL } from '../../shared/api/catalog.ts';
import { AppError, isNotFound } from '../platform/app-error.ts';
import { type Changes, type OwnChange, type PathState, SHARED_LOCK } from '../platform/changes.ts';
import { copyTree } from '../platform/copy-tree.ts';
import { hostLinks } from '../platform/create-link.ts';
import { type DirectoryHandle, openDirectory, withDirectory } from '../platform/directory-handle.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { removeTree } from '../platform/remove-tree.ts';
import type { Root } from '../platform/root.ts';
import { withNewSharedFolder, withSharedFolder } from '../platform/shared-folder.ts';

/** Installs dot-mi's bundled skill in the root, and uninstalls it. */
interface BundledSkill {
  /** Returns false if an identical skill is already there. Throws `skill_differs` if a different one has the name. */
  install(): Promise<boolean>;
  /** Removes the skill if it's unchanged. Throws `skill_differs` and `shared_entry_not_found`. */
  uninstall(): Promise<void>;
}

const skillDiffers = (what: string) =>
  new AppError(
    'skill_differs',
    `shared/skills has a "${BUNDLED_SKILL}" that differs from the one in this version of dot-mi, so ${what}. Rename or remove the one in shared/skills yourself.`,
  );

const isSameFile = async (name: string, one: DirectoryHandle, other: DirectoryHandle): Promise<boolean> => {
  const files = await Promise.all([one.openFile(name), other.openFile(name)]);
  try {
    const [a, b] = await Promise.all(files.map((file) => file.stat()));
    if (!a?.isFile() || !b?.isFile() || a.size !== b.size) return false;
    const [left, right] = await Promise.all(files.map((file) => file.readFile()));
    return left !== undefined && right !== undefined && left.equals(right);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
};

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1);

/**
 * Returns whether two directories hold the same directories and files. Anything else, such as a link, counts as a
 * difference.
 */
const isSame = async (one: DirectoryHandle, other: DirectoryHandle): Promise<boolean> => {
  const [items, others] = await Promise.all([one.list(), other.list()]);
  if (items.length !== others.length) return false;
  others.sort(byName);
  for (const [at, item] of items.sort(byName).entries()) {
    const { name } = item;
    const match = others[at];
    if (match?.name !== name) return false;
    if (item.isDirectory() && match.isDirectory()) {
      const same = await withDirectory(one.open(name), (below) =>
        withDirectory(other.open(name), (otherBelow) => isSame(below, otherBelow)),
      );
      if (!same) return false;
    } else if (!item.isFile() || !match.isFile() || !(await isSameFile(name, one, other))) return false;
  }
  return true;
};

/** Returns the text of each file in a directory, by its path below it. A directory's own files come first. */
const textsIn = async (directory: DirectoryHandle, above = ''): Promise<[path: string, text: string][]> => {
  const texts: [string, string][] = [];
  const items = (await directory.list()).sort(byName);
  for (const { name } of items.filter((item) => item.isFile())) {
    const file = await directory.openFile(name);
    try {
      texts.push([`${above}${name}`, (await file.readFile()).toString('utf8')]);
    } finally {
      await file.close();
    }
  }
  for (const { name } of items.filter((item) => item.isDirectory()))
    texts.push(...(await withDirectory(directory.open(name), (below) => textsIn(below, `${above}${name}/`))));
  return texts;
};

const ABSENT: PathState = { is: 'missing', folderless: true };

interface SkillDeps {
  readonly root: Root;
  readonly agentLock: KeyedLock;
  readonly changes: Pick<Changes, 'record'>;
}

/** Creates a {@link BundledSkill}. `template` is the path of the bundled starter root. */
export const createBundledSkill = (
  { root, agentLock, changes }: SkillDeps,
  template: string,
): BundledSkill => {
  const withSource = <T>(use: (source: DirectoryHandle) => Promise<T>): Promise<T> =>
    withDirectory(openDirectory(join(template, 'shared', 'skills', BUNDLED_SKILL)), use);

  const isOurs = (skill: DirectoryHandle): Promise<boolean> =>
    withSource((source) =>
      isSame(source, skill).catch((error: unknown) => {
        // An entry was removed or replaced during the comparison.
        if (isNotFound(error)) return false;
        throw error;
      }),
    );

  /** Returns whether this directory holds an identical skill. Throws `skill_differs` if it holds a different one. */
  const isInstalled = async (skills: DirectoryHandle): Promise<boolean> => {
    if (!(await skills.has(BUNDLED_SKILL))) return false;
    const ours = await withDirectory(skills.open(BUNDLED_SKILL), isOurs).catch((error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    });
    if (ours) return true;
    throw skillDiffers('dot-mi didn’t add its own');
  };

  /** Records that the skill appears, or disappears. */
  const record = async (label: string, appears: boolean, make: () => Promise<void>): Promise<void> => {
    const items = (await withSource((source) => textsIn(source))).map(([path, text]): OwnChange => {
      const file = { is: 'file', text } as const;
      return {
        path: `shared/skills/${BUNDLED_SKILL}/${path}`,
        before: appears ? ABSENT : file,
        after: appears ? file : ABSENT,
      };
    });
    // An undo goes backwards, and a directory disappears after what is in it.
    await changes.record(label, appears ? items : items.toReversed(), async (recorded) => {
      await recorded;
      await make();
    });
  };

  const installInto = async (skills: DirectoryHandle): Promise<boolean> => {
    if (await isInstalled(skills)) return false;
    // The catalog ignores names that begin with a dot, so a crash leaves no partial skill there.
    const making = `.${BUNDLED_SKILL}-${randomBytes(6).toString('hex')}.tmp`;
    const place = { path: join(root.shared('skills'), BUNDLED_SKILL), linkSystem: hostLinks };
    try {
      await withSource((source) => copyTree(source, skills, making, place));
      await record(`Add the skill ${BUNDLED_SKILL}`, true, () =>
        skills.rename(making, skills, BUNDLED_SKILL),
      );
    } catch (error) {
      await removeTree(skills, making);
      if (await skills.has(BUNDLED_SKILL)) throw skillDiffers('dot-mi didn’t add its own');
      throw error;
    }
    return true;
  };

  const removeFrom = async (skills: DirectoryHandle): Promise<void> => {
    const opening = skills.open(BUNDLED_SKILL).catch((error: unknown) => {
      throw isNotFound(error) ? skillDiffers('dot-mi didn’t remove it') : error;
    });
    await withDirectory(opening, async (skill) => {
      if (!(await isOurs(skill))) throw skillDiffers('dot-mi didn’t remove it');
      // SECURITY: use the compared handle, because another directory may have the name by now.
      for (const { name } of await skill.list()) await removeTree(skill, name);
    });
    await skills.rmdir(BUNDLED_SKILL);
  };

  return {
    install: () => agentLock.run(SHARED_LOCK, () => withNewSharedFolder(root, 'skills', installInto)),

    uninstall: () =>
      agentLock.run(SHARED_LOCK, () =>
        withSharedFolder(root, 'skills', async (skills) => {
          if (!(await skills?.has(BUNDLED_SKILL)))
            throw new AppError('shared_entry_not_found', `shared/skills has no "${BUNDLED_SKILL}".`);
          if (skills) await record(`Remove the skill ${BUNDLED_SKILL}`, false, () => removeFrom(skills));
        }),
      ),
  };
};
