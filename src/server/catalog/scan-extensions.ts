import { join } from 'node:path';
import type { SharedExtension } from '../../shared/api/catalog.ts';
import { systemCode, unlessRefused } from '../platform/app-error.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot, placeOfSharedEntry } from '../platform/shared-folder.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { type CatalogScan, createCatalogScan } from './catalog-scan.ts';
import { type ExtensionDetails, readDirectoryExtension, readFileExtension } from './read-extension.ts';

/** Returns the stats of a path's target, undefined if it's missing, or the code if the system denies access. */
const targetOf = (path: string) => {
  try {
    return statIfThere(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code;
  }
};

/** Describes an extension that the system denies access to, such as a link into another user's directory. */
const unreachableExtension = (root: Root, name: string, code: string): SharedExtension => ({
  name,
  kind: unlessRefused(() => lstatIfThere(join(root.shared('extensions'), name)))?.isDirectory()
    ? 'dir'
    : 'file',
  path: `shared/extensions/${name}`,
  diagnostics: [
    {
      severity: 'error',
      rule: 'extension-unreachable',
      message: `The extension can’t be read (${code}). Check its owner and mode, or its link.`,
    },
  ],
});

/**
 * Creates a blocking scan of `shared/extensions`, for the disk thread. Skips broken links. If pi can't load an
 * extension, its problems say why. Throws `outside_root`.
 */
export const createExtensionsScan = (
  root: Root,
  entries: RootEntries,
): CatalogScan<'extensions', SharedExtension> =>
  createCatalogScan(entries, 'extensions', {
    unreachable: (name, code) => unreachableExtension(root, name, code),
    read(name, record) {
      const path = join(root.shared('extensions'), name);
      const stats = record.stat(path);
      const target = stats ?? targetOf(path);
      if (typeof target === 'string') {
        record.neverReuse();
        return unreachableExtension(root, name, target);
      }
      if (!stats?.isFile() && !stats?.isDirectory()) return undefined;
      const readDirectory = (): ExtensionDetails => {
        // This throws if access is denied, which would otherwise look like files outside the root.
        lstatIfThere(join(path, 'package.json'));
        const place = placeOfSharedEntry(root, 'extensions', name);
        return readDirectoryExtension(place.path, record, place.inside);
      };
      const details = stats.isFile()
        ? readFileExtension(path, name, record, insideOfRoot(root))
        : readDirectory();
      return {
        name,
        kind: stats.isFile() ? 'file' : 'dir',
        path: `shared/extensions/${name}`,
        ...details,
      };
    },
  });
