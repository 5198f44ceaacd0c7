import { join } from 'node:path';
import type { SharedPrompt, SharedTheme } from '../../shared/api/catalog.ts';
import { isOfKind, type LinkKind } from '../../shared/api/names.ts';
import { statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import { readText, readUtf8, type SharedText } from '../root-model/reader.ts';
import type { RootEntries } from '../root-model/root-entries.ts';
import { type CatalogScan, createCatalogScan } from './catalog-scan.ts';
import { readPromptTemplate } from './prompt-template.ts';
import { readTheme } from './theme.ts';

/** Creates the scan of a single-file kind. Skips broken links. */
const createFilesScan = <K extends LinkKind, T>(
  root: Root,
  entries: RootEntries,
  kind: K,
  toItem: (name: string, read: SharedText) => T,
): CatalogScan<K, T> => {
  const unreachable = (name: string, code: string): T | undefined =>
    isOfKind(kind, name, 'file') ? toItem(name, { problem: 'unreadable', code }) : undefined;
  return createCatalogScan<K, T>(entries, kind, {
    unreachable,
    read(name: string, record: PathRecord) {
      if (!isOfKind(kind, name, 'file')) return undefined;
      const path = join(root.shared(kind), name);
      // SECURITY: for a link that points outside the root, only the name is shown.
      const read = (kind === 'prompts' ? readText : readUtf8)(path, record, insideOfRoot(root));
      // Throws if the system denies access.
      return statIfThere(path)?.isFile() ? toItem(name, read) : undefined;
    },
  });
};

/** Creates a blocking scan of `shared/prompts`, for the disk thread. Throws `outside_root`. */
export const createPromptsScan = (root: Root, entries: RootEntries): CatalogScan<'prompts', SharedPrompt> =>
  createFilesScan(root, entries, 'prompts', (name, read) => ({
    name,
    path: `shared/prompts/${name}`,
    ...readPromptTemplate(name, read),
  }));

/** Creates a blocking scan of `shared/themes`, for the disk thread. Throws `outside_root`. */
export const createThemesScan = (root: Root, entries: RootEntries): CatalogScan<'themes', SharedTheme> =>
  createFilesScan(root, entries, 'themes', (name, read) => ({
    name,
    path: `shared/themes/${name}`,
    ...readTheme(read),
  }));
