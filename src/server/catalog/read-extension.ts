import { join, resolve } from 'node:path';
import type { Diagnostic, SharedExtension } from '../../shared/api/catalog.ts';
import { type Inside, readablePlace } from '../platform/resolves-outside.ts';
import { type ReadRecord, readUtf8 } from '../root-model/reader.ts';
import { parseManifest } from './extension-manifest.ts';
import { descriptionOf, mayExportDefault, shortened } from './extension-text.ts';

/** An extension's description and the reasons why pi can't load it. */
export type ExtensionDetails = Pick<SharedExtension, 'description' | 'diagnostics'>;

/** The limit for entries of one extension. A 2 MiB package.json could name hundreds of thousands. */
const MAX_ENTRIES = 50;
/** The length limit for an entry in a message. */
const MAX_CALLED = 100;

const error = (rule: string, message: string): Diagnostic => ({ severity: 'error', rule, message });
const warning = (rule: string, message: string): Diagnostic => ({ severity: 'warning', rule, message });

/** Reads an extension's entry file. `called` is its name in messages. */
const readEntry = (path: string, called: string, record: ReadRecord, inside: Inside): ExtensionDetails => {
  const read = readUtf8(path, record, inside);
  if ('text' in read) {
    const description = descriptionOf(read.text);
    return {
      ...(description === undefined ? {} : { description }),
      diagnostics: mayExportDefault(read.text)
        ? []
        : [
            error(
              'extension-no-default-export',
              `${called} has no default export, so pi exits with an error if an agent links to it. Add a default export.`,
            ),
          ],
    };
  }
  switch (read.problem) {
    // dot-mi reveals nothing about files outside the root.
    case 'outside':
    // Only reading it would show whether it's an extension.
    case 'too-large':
    // If it's a directory, pi finds its index.
    case 'not-a-file':
    // The file was removed after the check. The next scan reports it.
    case 'missing':
      return { diagnostics: [] };
    case 'unreadable':
      return {
        diagnostics: [
          error('extension-unreadable', `${called} can’t be read (${read.code}). Check its owner and mode.`),
        ],
      };
    case 'not-text':
      return { diagnostics: [error('extension-unreadable', `${called} is not UTF-8. Save it as UTF-8.`)] };
  }
};

/** Reads a single-file extension. pi finds those that end in .ts or .js. */
export const readFileExtension = (
  path: string,
  name: string,
  record: ReadRecord,
  inside: Inside,
): ExtensionDetails => {
  if (/\.[tj]s$/.test(name)) return readEntry(path, name, record, inside);
  return {
    diagnostics: [
      error(
        'extension-not-a-module',
        'pi ignores it. An extension must be a .ts file, a .js file or a directory.',
      ),
    ],
  };
};

/** A file that pi would load, and its name in messages. */
interface Entry {
  readonly path: string;
  readonly called: string;
}

/** Returns the files that package.json names, without duplicates, at most 50. */
const namedEntries = (directory: string, declared: readonly string[]) => {
  const named = new Map<string, Entry>();
  // Deduplicate first, because resolving costs more than comparing.
  for (const text of new Set(declared)) {
    const path = resolve(directory, text);
    if (named.has(path)) continue;
    if (named.size === MAX_ENTRIES) return { named: named.values(), hasMore: true };
    named.set(path, { path, called: shortened(text, MAX_CALLED) });
  }
  return { named: named.values(), hasMore: false };
};

/**
 * Reads a directory extension by the rules of pi's loader. pi loads the existing files that `pi.extensions` in
 * package.json names, or else index.ts, or else index.js. Otherwise pi ignores the directory.
 */
export const readDirectoryExtension = (
  directory: string,
  record: ReadRecord,
  inside: Inside,
): ExtensionDetails => {
  const manifest = parseManifest(readUtf8(join(directory, 'package.json'), record, inside));
  const diagnostics = [...manifest.diagnostics];
  /** SECURITY: records every path, but never reveals whether a path outside the root exists. */
  const mayBeThere = ({ path }: Entry): boolean =>
    record.stat(path) !== undefined || readablePlace(path, inside) === undefined;

  const { named, hasMore } = namedEntries(directory, manifest.entries);
  if (hasMore) {
    diagnostics.push(
      warning(
        'extension-too-many-entries',
        `package.json lists more than ${MAX_ENTRIES} entries. dot-mi checks only the first ${MAX_ENTRIES}.`,
      ),
    );
  }
  const entries: Entry[] = [];
  for (const entry of named) {
    if (mayBeThere(entry)) entries.push(entry);
    else {
      diagnostics.push(
        warning(
          'extension-entry-missing',
          `"${entry.called}" is listed in package.json but doesn’t exist. Add the file, or remove the entry.`,
        ),
      );
    }
  }
  if (entries.length === 0) {
    const index = ['index.ts', 'index.js']
      .map((name) => ({ path: join(directory, name), called: name }))
      .find(mayBeThere);
    if (index) entries.push(index);
  }
  if (entries.length === 0) {
    diagnostics.push(
      error(
        'extension-no-entry',
        'pi ignores it. It has no index.ts or index.js, and its package.json names no usable entry.',
      ),
    );
  }
  const found = entries.map(({ path, called }) => readEntry(path, called, record, inside));
  const description =
    manifest.description ?? found.find((entry) => entry.description !== undefined)?.description;
  return {
    ...(description === undefined ? {} : { description }),
    diagnostics: [...diagnostics, ...found.flatMap((entry) => entry.diagnostics)],
  };
};
