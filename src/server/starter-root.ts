import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { systemCode } from './platform/app-error.ts';
import { createLink, hostLinks, type LinkSystem } from './platform/create-link.ts';
import { isOccupied } from './platform/root.ts';

/** The starter root's links, path to text. Data, because archives and Windows checkouts lose symlinks. */
const LINKS_FILE = 'links.json';
const linksSchema = z.record(z.string(), z.string());

/** Creates the links in `root`, which will be renamed to `finalRoot`. */
const makeLinks = async (root: string, finalRoot: string, system: LinkSystem) => {
  const links = linksSchema.parse(JSON.parse(await readFile(join(root, LINKS_FILE), 'utf8')));
  for (const [name, text] of Object.entries(links)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    const target = (await stat(join(dirname(path), text))).isDirectory() ? 'dir' : 'file';
    // Windows without Developer Mode: agents work without links to files, and the window says how to get them.
    await createLink({ text, path, target, finalPath: join(finalRoot, name) }, system).catch((error) => {
      if (system.platform !== 'win32') throw error;
    });
  }
  await rm(join(root, LINKS_FILE));
};

/** Copies the template to `making`, which doesn't exist yet. Its parts will be moved to `finalRoot`. */
const copyTemplate = async (template: string, making: string, finalRoot: string, system: LinkSystem) => {
  await cp(template, making, { recursive: true });
  // Archives may have lost the mode.
  await chmod(join(making, 'setup.sh'), 0o755);
  await makeLinks(making, finalRoot, system);
  await mkdir(join(making, 'agents'), { recursive: true });
};

/** Files that a person may have wanted otherwise, in a folder that isn't empty. */
const ONLY_IF_EMPTY = ['README.md', '.gitignore', '.gitattributes'];

/** Moves a file or directory to a free path. Returns false if the path is taken, and never overwrites. */
const moveIfFree = async (from: string, to: string): Promise<boolean> => {
  if (await isOccupied(to)) return false;
  if ((await stat(from)).isDirectory()) {
    await rename(from, to);
    return true;
  }
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
};

/**
 * Adds the parts of the starter root that a directory lacks: its setup script, `agents` and `shared`. Sample
 * agents come only with the shared entries that they link to. Returns the names of what was added, sorted.
 */
export const plantStarterRoot = async (
  path: string,
  template: string,
  isIncidental: (name: string) => boolean,
  linkSystem: LinkSystem = hostLinks,
): Promise<string[]> => {
  const present = await readdir(path);
  const hasScript = present.includes('dotpi') || present.includes('setup.sh');
  const isBare = !hasScript && !present.includes('agents') && !present.includes('shared');
  const wanted = [
    ...(present.every(isIncidental) ? ONLY_IF_EMPTY : []),
    'shared',
    'agents',
    // Last: a root with a script is complete.
    ...(hasScript ? [] : ['setup.sh']),
  ];
  // In the directory itself, because a rename can't cross file systems.
  const making = join(path, `.dot-mi-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await copyTemplate(template, making, path, linkSystem);
    if (!isBare) {
      await rm(join(making, 'agents'), { recursive: true });
      await mkdir(join(making, 'agents'));
    }
    const created: string[] = [];
    for (const name of wanted) if (await moveIfFree(join(making, name), join(path, name))) created.push(name);
    return created.sort();
  } finally {
    await rm(making, { recursive: true, force: true });
  }
};

/**
 * Creates the starter root at `path` from the template, unless something is there already.
 *
 * Builds it next to `path` and renames it into place, so that a crash leaves no half root.
 */
export const ensureStarterRoot = async (
  path: string,
  template: string,
  linkSystem: LinkSystem = hostLinks,
): Promise<void> => {
  if (await isOccupied(path)) return;
  const making = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await copyTemplate(template, making, path, linkSystem);
    await rename(making, path);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another process was first.
    if (!(await isOccupied(path))) throw error;
  }
};
