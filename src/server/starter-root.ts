import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
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
    await cp(template, making, { recursive: true });
    // Archives may have lost the mode.
    await chmod(join(making, 'setup.sh'), 0o755);
    await makeLinks(making, path, linkSystem);
    await mkdir(join(making, 'agents'), { recursive: true });
    await rename(making, path);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another process was first.
    if (!(await isOccupied(path))) throw error;
  }
};
