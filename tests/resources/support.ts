import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root that is shipped, as it lies in the repository. */
export const STARTER_ROOT = fileURLToPath(new URL('../../resources/starter-root/', import.meta.url));

/**
 * Everything below `directory`, hidden entries too, sorted: `a/` is a directory, `a/b` a file,
 * `a/c -> text` a symlink, which is not followed.
 */
export async function listTree(directory: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const lines = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = `${prefix}${entry.name}`;
      const full = join(directory, entry.name);
      if (entry.isSymbolicLink()) return [`${path} -> ${await readlink(full)}`];
      return entry.isDirectory() ? [`${path}/`, ...(await listTree(full, `${path}/`))] : [path];
    }),
  );
  return lines.flat().sort();
}

/** `links.json`: the path of each link to be made, and its text. */
export async function readLinks(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(STARTER_ROOT, 'links.json'), 'utf8')) as Record<string, string>;
}

/** What a launcher passes to pi: lines that are neither blank nor start with "#", untrimmed. */
export const readArgs = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
