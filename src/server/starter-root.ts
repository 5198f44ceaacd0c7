import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { z } from 'zod';
import { systemCode } from './platform/app-error.ts';
import { copyFile, copyInto } from './platform/copy-tree.ts';
import { createLink, hostLinks, type LinkSystem } from './platform/create-link.ts';
import {
  type DirectoryHandle,
  openChosenDirectory,
  openDirectory,
  openOrMake,
  withDirectory,
  withDirectoryBelow,
} from './platform/directory-handle.ts';
import { removeTree } from './platform/remove-tree.ts';

/** Maps each link's path in the starter root to its text, because archives and Windows checkouts lose symlinks. */
const LINKS_FILE = 'links.json';
const linksSchema = z.record(z.string(), z.string());

const directoryOf = (path: string): string[] => path.split('/').slice(0, -1);

const readLinks = async (root: DirectoryHandle): Promise<Record<string, string>> => {
  const file = await root.openFile(LINKS_FILE);
  try {
    return linksSchema.parse(JSON.parse(await file.readFile('utf8')));
  } finally {
    await file.close();
  }
};

/** Creates the links in `root`, which will be renamed to `finalRoot`. */
const makeLinks = async (root: DirectoryHandle, finalRoot: string, system: LinkSystem) => {
  for (const [path, text] of Object.entries(await readLinks(root))) {
    const name = posix.basename(path);
    const shared = posix.join(posix.dirname(path), text);
    const stats = await withDirectoryBelow(root, directoryOf(shared), (directory) =>
      directory.lstat(posix.basename(shared)),
    );
    const target = stats.isDirectory() ? 'dir' : 'file';
    const link = (directory: DirectoryHandle) =>
      createLink({ text, directory, name, target, finalPath: join(finalRoot, path) }, system);
    // Without Developer Mode on Windows, agents lack links to files but work. The window says how to get the links.
    await withDirectoryBelow(root, directoryOf(path), link, openOrMake).catch((error) => {
      if (system.platform !== 'win32') throw error;
    });
  }
  await root.unlink(LINKS_FILE);
};

/**
 * Runs `use` with a copy of the template, in a new subdirectory of `parent` that will be moved to `finalRoot`,
 * entirely or in parts.
 *
 * SECURITY: another user may write to the directory during the setup. Through the open directory, the copy can't end up
 * elsewhere.
 */
const withTemplateCopy = async (
  template: string,
  parent: DirectoryHandle,
  name: string,
  finalRoot: string,
  system: LinkSystem,
  use: (making: DirectoryHandle) => Promise<void> = async () => undefined,
): Promise<void> => {
  await parent.mkdir(name);
  await withDirectory(parent.open(name), async (making) => {
    await withDirectory(openDirectory(template), (source) =>
      copyInto(source, making, { path: finalRoot, linkSystem: system }),
    );
    const script = await making.openFile('setup.sh');
    // Archives may have lost the mode.
    await script.chmod(0o755).finally(() => script.close());
    await makeLinks(making, finalRoot, system);
    await (await openOrMake(making, 'agents')).close();
    await use(making);
  });
};

/** Files added only to an empty directory. In other directories, someone may have left them out on purpose. */
const ONLY_IF_EMPTY = ['README.md', '.gitignore', '.gitattributes'];

/** Moves a file or directory if its name is free. Returns false if it's taken, and never overwrites. */
const moveIfFree = async (name: string, from: DirectoryHandle, to: DirectoryHandle): Promise<boolean> => {
  if (await to.has(name)) return false;
  if ((await from.lstat(name)).isDirectory()) {
    await from.rename(name, to, name);
    return true;
  }
  try {
    await copyFile(name, from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Adds the starter root's missing parts to a directory: its setup script, `agents` and `shared`. Adds sample agents
 * only with the shared entries they link to. Returns the names of what it added, sorted.
 */
export const plantStarterRoot = async (
  path: string,
  template: string,
  isIncidental: (name: string) => boolean,
  linkSystem: LinkSystem = hostLinks,
): Promise<string[]> => {
  const plantInto = async (folder: DirectoryHandle): Promise<string[]> => {
    const present = (await folder.list()).map(({ name }) => name);
    const hasScript = present.includes('dotpi') || present.includes('setup.sh');
    const isBare = !hasScript && !present.includes('agents') && !present.includes('shared');
    const wanted = [
      ...(present.every(isIncidental) ? ONLY_IF_EMPTY : []),
      'shared',
      'agents',
      // Do this last, because a root with a script counts as complete.
      ...(hasScript ? [] : ['setup.sh']),
    ];
    const created: string[] = [];
    // Copy into the directory itself, because a rename can't cross file systems.
    const name = `.dot-mi-${randomBytes(6).toString('hex')}.tmp`;
    try {
      await withTemplateCopy(template, folder, name, path, linkSystem, async (making) => {
        if (!isBare) {
          await removeTree(making, 'agents');
          await making.mkdir('agents');
        }
        for (const part of wanted) if (await moveIfFree(part, making, folder)) created.push(part);
      });
      return created.sort();
    } finally {
      await removeTree(folder, name);
    }
  };
  return withDirectory(openChosenDirectory(path), plantInto);
};

/**
 * Creates the starter root at `path` from the template, unless the path is taken.
 *
 * Builds it next to `path` and renames it, so that a crash leaves no partial root.
 */
export const ensureStarterRoot = async (
  path: string,
  template: string,
  linkSystem: LinkSystem = hostLinks,
): Promise<void> => {
  const name = basename(path);
  await mkdir(dirname(path), { recursive: true });
  await withDirectory(openChosenDirectory(dirname(path)), async (parent) => {
    if (await parent.has(name)) return;
    const making = `${name}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await withTemplateCopy(template, parent, making, path, linkSystem);
      await parent.rename(making, parent, name);
    } catch (error) {
      await removeTree(parent, making);
      // Another process created the root first.
      if (!(await parent.has(name))) throw error;
    }
  });
};
