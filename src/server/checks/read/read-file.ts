import type { Dirent } from 'node:fs';
import { readSharedText } from '../../catalog/read-shared.ts';
import type { PathRecord } from '../../disk/coverage.ts';
import { systemCode } from '../../platform/app-error.ts';
import { listAnywhere } from '../../platform/list-directory.ts';
import { listInside } from '../../platform/open-inside.ts';
import { type Inside, openableIn } from '../../platform/resolves-outside.ts';
import type { FileState } from '../snapshot.ts';

/** How much a read may take in. A hostile agent can hold any number of files of 2 MiB. */
export interface ReadBudget {
  characters: number;
  entries: number;
  /** Of the agent's own skills. YAML can take 2 µs for each character. */
  frontmatterCharacters: number;
}

/** The budget of one agent or skill. A real one has some thousand characters and a few dozen entries. */
export const newBudget = (): ReadBudget => ({
  characters: 8 * 1024 * 1024,
  entries: 2_000,
  frontmatterCharacters: 256 * 1024,
});

/** Whether something was left out because there was too much. */
export const isSpent = ({ entries, frontmatterCharacters }: ReadBudget): boolean =>
  entries < 0 || frontmatterCharacters < 0;

/** Reads one file with blocking calls. With `inside`, only a file that is there. */
export const readRecorded = (
  path: string,
  record: PathRecord,
  budget: ReadBudget,
  inside?: Inside,
): FileState => {
  const size = record.stat(path)?.size ?? 0n;
  if (Number(size) > budget.characters) return { kind: 'refused', problem: 'too-large' };
  const read = readSharedText(path, inside);
  if ('text' in read) {
    budget.characters -= read.text.length;
    // A NUL is valid UTF-8, but no text that dot-mi writes or pi understands.
    return read.text.includes('\0')
      ? { kind: 'refused', problem: 'not-text' }
      : { kind: 'text', text: read.text };
  }
  // It may have been replaced for a moment.
  if (read.problem === 'outside') record.neverReuse();
  return read.problem === 'missing' ? { kind: 'missing' } : { kind: 'refused', problem: read.problem };
};

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * The entries of a directory, sorted by name. Empty if it is missing, if the system denies access, or if it isn't in
 * `inside`. Undefined allows everything, for the user's own skills.
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
