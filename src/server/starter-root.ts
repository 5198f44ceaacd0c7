import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isOccupied } from './platform/root.ts';

/** The starter root's links, path to text. Data, because archives and Windows checkouts lose symlinks. */
const LINKS_FILE = 'links.json';
const linksSchema = z.record(z.string(), z.string());

const makeLinks = async (root: string) => {
  const links = linksSchema.parse(JSON.parse(await readFile(join(root, LINKS_FILE), 'utf8')));
  for (const [path, text] of Object.entries(links)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    // Windows without Developer Mode: agents work without their links, and the window says how to get them.
    await symlink(text, join(root, path)).catch((error) => {
      if (process.platform !== 'win32') throw error;
    });
  }
  await rm(join(root, LINKS_FILE));
};

/**
 * Creates the starter root at `path` from the template, unless something is there already.
 *
 * Builds it next to `path` and renames it into place, so that a crash leaves no half root.
 */
export const ensureStarterRoot = async (path: string, template: string): Promise<void> => {
  if (await isOccupied(path)) return;
  const making = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await cp(template, making, { recursive: true });
    // Archives may have lost the mode.
    await chmod(join(making, 'setup.sh'), 0o755);
    await makeLinks(making);
    await mkdir(join(making, 'agents'), { recursive: true });
    await rename(making, path);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another process was first.
    if (!(await isOccupied(path))) throw error;
  }
};
