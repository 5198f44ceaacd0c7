import type { Inside } from '../../platform/resolves-outside.ts';
import { isPlainText, MAX_READ_BYTES, type ReadRecord, readText } from '../../root-model/reader.ts';
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

/** Reads a skill or prompt template as pi does, within the budget. Blocks. */
export const readMarkdown = (
  path: string,
  record: ReadRecord,
  budget: ReadBudget,
  inside?: Inside,
): FileState => {
  const read = readText(path, record, inside, Math.min(budget.characters, MAX_READ_BYTES));
  if ('text' in read) {
    const { text } = read;
    budget.characters -= text.length;
    return isPlainText(read) ? { kind: 'text', text } : { kind: 'text', text, isPlain: false };
  }
  budget.isCut ||= read.problem === 'too-large' && budget.characters < MAX_READ_BYTES;
  return read.problem === 'missing' ? { kind: 'missing' } : { kind: 'refused', problem: read.problem };
};

/** Reads a file like {@link readMarkdown}, but refuses one that isn't UTF-8 or contains NUL bytes. */
export const readRecorded: typeof readMarkdown = (path, record, budget, inside) => {
  const file = readMarkdown(path, record, budget, inside);
  return file.kind === 'text' && file.isPlain === false ? { kind: 'refused', problem: 'not-text' } : file;
};
