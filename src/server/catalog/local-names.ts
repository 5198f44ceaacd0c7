import { basename, join } from 'node:path';
import type { SharedSkill } from '../../shared/api/catalog.ts';
import { isOfKind } from '../../shared/api/names.ts';
import { unlessRefused } from '../platform/app-error.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import { createKept, ownCopy } from '../root-model/kept.ts';
import { readText } from '../root-model/reader.ts';
import { toSkill } from './scan-skills.ts';
import { readTheme } from './theme.ts';

/**
 * Returns the name pi gives a skill, or undefined if an error keeps pi from loading it. pi uses the directory name if
 * there's no name. So does dot-mi for a skill that it can't read.
 */
export const piNameOf = ({
  name,
  nameFm,
  diagnostics,
}: Pick<SharedSkill, 'name' | 'nameFm' | 'diagnostics'>): string | undefined =>
  diagnostics.some(({ severity }) => severity === 'error') ? undefined : nameFm || name;

/**
 * Reads the names pi gives files in agents' directories, by path. A file that pi doesn't load has none. An unreadable
 * one gets the name of its directory entry. Blocks.
 */
const createNames = (
  root: Root,
  fileAt: (path: string) => string,
  nameIn: (name: string, text: string) => string | undefined,
) =>
  createKept(
    (path, record) => {
      const name = basename(path);
      const file = fileAt(path);
      // There's nothing below a file, and to look for it there would take ten times as long.
      const isFile = () => unlessRefused(() => lstatIfThere(path))?.isFile();
      if (file !== path && isFile() && record.stat(path)?.isFile()) return undefined;
      const read = readText(file, record, insideOfRoot(root));
      if ('text' in read) return ownCopy(nameIn(name, read.text));
      return read.problem === 'missing' ? undefined : name;
    },
    { coversMore: true },
  );

/** Creates the names of skills and themes. Other kinds use the name of the directory entry. */
export const createLocalNames = (root: Root) => ({
  skills: createNames(
    root,
    (path) => join(path, 'SKILL.md'),
    (name, text) => piNameOf(toSkill(name, text)),
  ),
  themes: createNames(
    root,
    (path) => path,
    (name, text) => (isOfKind('themes', name, 'file') ? readTheme({ text }).themeName : undefined),
  ),
});
