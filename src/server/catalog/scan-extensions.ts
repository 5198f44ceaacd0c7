import { join } from 'node:path';
import type { SharedExtension } from '../../shared/api/catalog.ts';
import { isEntryName } from '../../shared/api/names.ts';
import { systemCode } from '../platform/app-error.ts';
import { createDirectoryLister, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

/** What a link leads to; undefined where that is nowhere, or not ours to look at. */
const targetOf = (path: string) => {
  try {
    return statIfThere(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
};

/**
 * Makes a scan of `shared/extensions`: blocking, for the scanner's thread. Returns the same object while nothing
 * changed. A link that leads nowhere is no extension.
 */
export const createExtensionsScan = (root: Root) => {
  const directory = root.shared('extensions');
  const listDirectory = createDirectoryLister(directory, (entry) => isEntryName(entry.name));
  let result: { extensions: SharedExtension[] } = { extensions: [] };

  return (nowMs: number): { extensions: SharedExtension[] } => {
    const extensions = listDirectory(nowMs).entries.flatMap((entry): SharedExtension[] => {
      const kind = entry.isSymbolicLink() ? targetOf(join(directory, entry.name)) : entry;
      if (!kind?.isDirectory() && !kind?.isFile()) return [];
      return [
        {
          name: entry.name,
          kind: kind.isDirectory() ? 'dir' : 'file',
          path: `shared/extensions/${entry.name}`,
        },
      ];
    });
    const same =
      extensions.length === result.extensions.length &&
      extensions.every(
        ({ name, kind }, i) => name === result.extensions[i]?.name && kind === result.extensions[i]?.kind,
      );
    if (!same) result = { extensions };
    return result;
  };
};
