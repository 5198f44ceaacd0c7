import type { Dirent } from 'node:fs';
import { systemCode } from '../../platform/app-error.ts';
import { listAnywhere } from '../../platform/list-directory.ts';
import { listInside } from '../../platform/open-inside.ts';
import { isPlainText, readLikePi } from '../../platform/read-like-pi.ts';
import { type Inside, openableIn } from '../../platform/resolves-outside.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import type { FileState } from '../snapshot.ts';

/** Limits how much is read, because a hostile agent can have any number of 2 MiB files. */
export interface ReadBudget {
  characters: number;
  entries: number;
  /** The limit for frontmatter of the agent's own skills. YAML can take 2 µs per character. */
  frontmatterCharacters: number;
  /** True if something wasn't read, although more of the budget is left. */
  isCut: boolean;
}

/** Creates the budget for one agent or skill. A real one has a few thousand characters and a few dozen entries. */
export const newBudget = (): ReadBudget => ({
  characters: 8 * 1024 * 1024,
  entries: 2_000,
  frontmatterCharacters: 512 * 1024,
  isCut: false,
});

/** Returns whether the budget is used up. */
export const isSpent = ({ entries, frontmatterCharacters }: ReadBudget): boolean =>
  entries < 0 || frontmatterCharacters < 0;

/** Returns whether anything wasn't read. */
export const isCut = (budget: ReadBudget): boolean => budget.isCut || isSpent(budget);

/**
 * Reads a skill or prompt template as pi does, with blocking calls. With `inside`, the file must be in one of those
 * directories.
 */
export const readMarkdown = (
  path: string,
  record: PathRecord,
  budget: ReadBudget,
  inside?: Inside,
): FileState => {
  const size = record.stat(path)?.size ?? 0n;
  if (Number(size) > budget.characters) {
    budget.isCut = true;
    return { kind: 'refused', problem: 'too-large' };
  }
  const read = readLikePi(path, inside);
  if ('text' in read) {
    const { text } = read;
    budget.characters -= text.length;
    return isPlainText(read) ? { kind: 'text', text } : { kind: 'text', text, isPlain: false };
  }
  // The file may have been replaced only briefly, so don't cache the result.
  if (read.problem === 'outside') record.neverReuse();
  return read.problem === 'missing' ? { kind: 'missing' } : { kind: 'refused', problem: read.problem };
};

/** Reads a file like {@link readMarkdown}, but refuses one that isn't UTF-8 or contains NUL bytes. */
export const readRecorded: typeof readMarkdown = (path, record, budget, inside) => {
  const file = readMarkdown(path, record, budget, inside);
  return file.kind === 'text' && file.isPlain === false ? { kind: 'refused', problem: 'not-text' } : file;
};

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * Lists a directory, sorted by name. Empty if it's missing, access is denied or it isn't in `inside`. An undefined
 * `inside` allows everything, for the user's own skills.
 */
export const listRecorded = (path: string, record: PathRecord, inside: Inside | undefined): Dirent[] => {
  if (!record.stat(path)?.isDirectory()) return [];
  try {
    const entries = inside ? listInside(openableIn(path, inside), path) : listAnywhere(path);
    return entries.sort(byName);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    record.neverReuse();
    return [];
  }
};
