import { diffArrays } from 'diff';

/** Some lines of a comparison: unchanged ones, or those that were added or removed. */
interface LineChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly lines: readonly string[];
}

// The search needs quadratic time and memory in the changes, so it stops after this many.
const MAX_CHANGED_LINES = 500;

/** The changes from one text to another, by line. With too many, all lines are removed and added. */
export const lineChanges = (before: string, after: string): readonly LineChange[] => {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(old, now, { maxEditLength: MAX_CHANGED_LINES });
  if (!changes)
    return [
      { kind: 'removed', lines: old },
      { kind: 'added', lines: now },
    ];
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value,
  }));
};

/** How many unchanged lines stay visible next to a change. */
const KEPT = 3;

/** Unchanged lines that are not shown, or lines that are. */
export type ShownLines = LineChange | { readonly kind: 'folded'; readonly count: number };

/** The changes without long runs of unchanged lines. */
export const foldUnchanged = (changes: readonly LineChange[]): readonly ShownLines[] =>
  changes.flatMap((change, index): ShownLines[] => {
    const { kind, lines } = change;
    const head = index === 0 ? 0 : KEPT;
    const tail = index === changes.length - 1 ? 0 : KEPT;
    const folded = lines.length - head - tail;
    if (kind !== 'same' || folded < 2) return [change];
    const shown: ShownLines[] = [
      { kind, lines: lines.slice(0, head) },
      { kind: 'folded', count: folded },
      { kind, lines: tail === 0 ? [] : lines.slice(-tail) },
    ];
    return shown.filter((part) => part.kind === 'folded' || part.lines.length > 0);
  });
