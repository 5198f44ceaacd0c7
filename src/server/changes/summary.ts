import type { PathState } from '../platform/changes.ts';

/** An applied item without its texts. */
export interface ChangedPath {
  readonly path: string;
  readonly was: PathState['is'];
  readonly is: PathState['is'];
  /** The number of lines that were added and removed. Null if one of the states isn't a file. */
  readonly added: number | null;
  readonly removed: number | null;
}

/**
 * Returns the agent or shared entry of a path, as the path of its directory or file. A session isn't part of an agent:
 * deleting one makes no other version of it.
 */
export const subjectOf = (path: string): string => {
  const names = path.split('/');
  return names.slice(0, names[0] === 'agents' && names[2] !== 'sessions' ? 2 : 3).join('/');
};

// As in the page's comparison of two texts. Time grows with the square of the changed lines.
const MOST_CHANGED_LINES = 1_000;

/** A longer part of a text isn't compared line by line. */
const MOST_COMPARED_CHARACTERS = 256 * 1024;

/** Returns the number of lines. A last line without an end counts. */
const countLines = (text: string): number => {
  let count = 0;
  for (let at = 0; at < text.length; count++) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return count;
};

/** Removes the lines with which both texts begin and end. */
const differingParts = (a: string, b: string): readonly [string, string] => {
  const room = Math.min(a.length, b.length);
  let start = 0;
  while (start < room && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  start = start === 0 ? 0 : a.lastIndexOf('\n', start - 1) + 1;
  let tail = 0;
  while (tail < room - start && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail))
    tail++;
  // A common end counts from the first line that begins in it, or that is all that is left of a text.
  const isWhole = (text: string) =>
    tail === text.length - start || text.charCodeAt(text.length - tail - 1) === 10;
  while (tail > 0 && !(isWhole(a) && isWhole(b))) {
    const next = a.indexOf('\n', a.length - tail);
    tail = next < 0 ? 0 : a.length - next - 1;
  }
  return [a.slice(start, a.length - tail), b.slice(start, b.length - tail)];
};

const linesOf = (text: string): string[] => {
  const lines = text.split(/(?<=\n)/);
  return text === '' ? [] : lines;
};

/** Returns the fewest lines to add and remove (Myers, 1986). Undefined if they're too many. */
const editLength = (a: readonly string[], b: readonly string[]): number | undefined => {
  const most = Math.min(MOST_CHANGED_LINES, a.length + b.length);
  /** How far in `a` each diagonal got. */
  const reached = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let edits = 0; edits <= most; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = reached[middle + diagonal + 1] ?? 0;
      const left = reached[middle + diagonal - 1] ?? 0;
      let at = diagonal === -edits || (diagonal !== edits && left < below) ? below : left + 1;
      while (at < a.length && at - diagonal < b.length && a[at] === b[at - diagonal]) at++;
      reached[middle + diagonal] = at;
      if (at >= a.length && at - diagonal >= b.length) return edits;
    }
  }
  return undefined;
};

/** Returns how many lines were added and removed. Undefined unless both states are a file or nothing. */
export const countChangedLines = (
  before: PathState,
  after: PathState,
): { readonly added: number; readonly removed: number } | undefined => {
  if (before.is !== 'file' && after.is !== 'file') return undefined;
  const [from, to] = [before, after].map((state) =>
    state.is === 'file' ? state.text : state.is === 'missing' ? '' : undefined,
  );
  if (from === undefined || to === undefined) return undefined;
  const [a, b] = differingParts(from, to);
  const removed = countLines(a);
  const added = countLines(b);
  const isLong = Math.max(a.length, b.length) > MOST_COMPARED_CHARACTERS;
  const edits = isLong || added === 0 || removed === 0 ? undefined : editLength(linesOf(a), linesOf(b));
  const common = edits === undefined ? 0 : (added + removed - edits) / 2;
  return { added: added - common, removed: removed - common };
};

/** How many paths a summary names. */
export const MOST_NAMED = 3;

/** The most characters of a name. */
const LONGEST_NAME = 60;

/** Returns a name on one line. */
const shortened = (name: string): string => {
  const printable = name.replaceAll(/\p{C}/gu, '�');
  return printable.length > LONGEST_NAME ? `${printable.slice(0, LONGEST_NAME)}…` : printable;
};

/** Returns the name of a path, below its subject if all paths have the same one. */
const nameOf = (path: string, isLink: boolean, subject: string | undefined): string => {
  const names = path.split('/');
  const last = names.at(-1) ?? '';
  if (path === subject) return last;
  if (subject !== undefined) return isLink ? last : path.slice(subject.length + 1);
  return isLink ? `${names[1]}/${last}` : names.slice(1).join('/');
};

/** Returns undefined for a file with another text. */
const verbOf = (was: PathState['is'], is: PathState['is']): string | undefined => {
  if (was === 'missing') return is === 'link' ? 'link' : 'create';
  if (is !== 'missing') return was === 'file' && is === 'file' ? undefined : 'change';
  if (was === 'link') return 'unlink';
  return was === 'directory' ? 'delete' : 'remove';
};

const phraseOf = ({ path, was, is, added, removed }: ChangedPath, subject: string | undefined): string => {
  const isLink = (was === 'link' || is === 'link') && path.startsWith('agents/');
  const name = shortened(nameOf(path, isLink, subject));
  const lines = [
    ...(added !== null && added > 0 ? [`+${added}`] : []),
    ...(removed !== null && removed > 0 ? [`−${removed}`] : []),
  ];
  const verb = verbOf(was, is);
  return [...(verb === undefined ? [] : [verb]), name, ...lines].join(' ');
};

/**
 * Returns one line about what a change set changed, such as `SYSTEM.md +31 −4, link pdf-tools`. SECURITY: it has no text
 * of a file.
 */
export const summaryOf = (
  { paths, count }: { readonly paths: readonly ChangedPath[]; readonly count: number },
  subject: string | undefined,
): string => {
  const named = paths.map((path) => phraseOf(path, subject)).join(', ');
  return count > paths.length ? `${named} and ${count - paths.length} more` : named;
};
