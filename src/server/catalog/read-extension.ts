import { join, resolve } from 'node:path';
import type { Diagnostic, SharedExtension } from '../../shared/api/catalog.ts';
import { isInside } from '../platform/root.ts';
import { parseManifest } from './extension-manifest.ts';
import { descriptionOf, mayExportDefault } from './extension-text.ts';
import { readSharedText } from './read-shared.ts';

/** What an extension says of itself, and what keeps pi from loading it. */
export type ExtensionDetails = Pick<SharedExtension, 'description' | 'diagnostics'>;

/** Whether a path leads to something; whoever reads notes it, to see later whether it changed. */
export type IsThere = (path: string) => boolean;

const error = (rule: string, message: string): Diagnostic => ({ severity: 'error', rule, message });

/** What the entry file of an extension says; `called` is what a person calls it. */
const readEntry = (path: string, called: string, allowed: readonly string[]): ExtensionDetails => {
  const read = readSharedText(path, allowed);
  if ('text' in read) {
    const description = descriptionOf(read.text);
    return {
      ...(description === undefined ? {} : { description }),
      diagnostics: mayExportDefault(read.text)
        ? []
        : [
            error(
              'extension-no-default-export',
              `${called} has no default export: pi ends with an error when an agent links to it.`,
            ),
          ],
    };
  }
  switch (read.problem) {
    // Not for us to tell; too much to read; the index of a directory; gone since it was looked for.
    case 'outside':
    case 'too-large':
    case 'not-a-file':
    case 'missing':
      return { diagnostics: [] };
    case 'unreadable':
      return { diagnostics: [error('extension-unreadable', `${called} cannot be read (${read.code}).`)] };
    case 'not-text':
      return { diagnostics: [error('extension-unreadable', `${called} is not UTF-8.`)] };
  }
};

/** Looks at an extension that is a file. pi finds those that end in .ts or .js. */
export const readFileExtension = (path: string, name: string, rootPath: string): ExtensionDetails => {
  if (/\.[tj]s$/.test(name)) return readEntry(path, name, [rootPath]);
  return {
    diagnostics: [
      error(
        'extension-not-a-module',
        'pi passes over it: an extension is a .ts or .js file, or a directory.',
      ),
    ],
  };
};

/**
 * Looks at an extension that is a directory, by the rules of pi's loader: what `pi.extensions` of package.json names and
 * is there; where that is nothing, index.ts, else index.js; where that is nothing, pi passes over the directory.
 */
export const readDirectoryExtension = (
  directory: string,
  rootPath: string,
  isThere: IsThere,
): ExtensionDetails => {
  const allowed = [rootPath, directory];
  const manifestPath = join(directory, 'package.json');
  const manifest = parseManifest(
    isThere(manifestPath) ? readSharedText(manifestPath, allowed) : { problem: 'missing' },
  );
  const diagnostics = [...manifest.diagnostics];
  const entries: string[] = [];
  for (const entry of manifest.entries) {
    // SECURITY: whether something is there outside of the extension is not for us to tell.
    if (!isInside(directory, resolve(directory, entry)) || isThere(join(directory, entry)))
      entries.push(entry);
    else {
      diagnostics.push({
        severity: 'warning',
        rule: 'extension-entry-missing',
        message: `"${entry}", which package.json names, is not there.`,
      });
    }
  }
  if (entries.length === 0)
    entries.push(...['index.ts', 'index.js'].filter((name) => isThere(join(directory, name))).slice(0, 1));
  const [first] = entries;
  if (first === undefined) {
    diagnostics.push(
      error(
        'extension-no-entry',
        'pi passes over it: there is no index.ts or index.js, and package.json names no entry.',
      ),
    );
  }
  const found = entries.map((entry) => readEntry(resolve(directory, entry), entry, allowed));
  const description =
    manifest.description ?? found.find((entry) => entry.description !== undefined)?.description;
  return {
    ...(description === undefined ? {} : { description }),
    diagnostics: [...diagnostics, ...found.flatMap((entry) => entry.diagnostics)],
  };
};
