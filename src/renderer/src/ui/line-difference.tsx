import { diffArrays } from 'diff';
import { useMemo } from 'react';
import { difference as words } from '../strings/common.ts';
import { cx } from './cx.ts';
import { scrollsByKey } from './scrolls-by-key.ts';

/** Consecutive lines of a comparison: unchanged, removed or added. */
interface LineChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly lines: readonly string[];
}

// Time and memory grow with the square of the number of changes, so the search stops after this many.
const MAX_CHANGED_LINES = 500;

/** Compares two strings by line. With too many changes, every line counts as removed and added. */
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

/** How many unchanged lines stay visible before and after a change. */
const KEPT = 3;

/** Hidden unchanged lines, or shown lines. */
type ShownLines = LineChange | { readonly kind: 'folded'; readonly count: number };

/** Returns the changes with long runs of unchanged lines folded. */
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

interface LineDifferenceProps {
  /** What is compared, for screen readers. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** The lines that were added or removed between two texts. Long runs of unchanged lines are folded. */
export const LineDifference = ({ label, before, after }: LineDifferenceProps) => {
  const changes = useMemo(() => lineChanges(before, after), [before, after]);
  return (
    <section
      ref={scrollsByKey}
      aria-label={label}
      className="overflow-x-auto rounded-lg border border-line font-mono text-sm"
    >
      <div className="w-max min-w-full">
        {foldUnchanged(changes).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
          <Part key={index} part={part} />
        ))}
      </div>
    </section>
  );
};

const TONES = {
  same: { row: '', sign: ' ' },
  added: { row: 'bg-ok-soft', sign: '+' },
  removed: { row: 'bg-danger-soft', sign: '−' },
} as const;

const Part = ({ part }: { readonly part: ShownLines }) => {
  if (part.kind === 'folded')
    return (
      <p className="border-y border-line bg-sunken px-3 py-0.5 text-muted">{words.unchanged(part.count)}</p>
    );
  const { row, sign } = TONES[part.kind];
  return (
    <div className={cx('flex gap-2 px-3', row)}>
      <span aria-hidden="true" className="shrink-0 whitespace-pre text-muted select-none">
        {part.lines.map(() => sign).join('\n')}
      </span>
      {part.kind !== 'same' && <span className="sr-only">{words[part.kind]}: </span>}
      <pre className="whitespace-pre">{part.lines.join('\n')}</pre>
    </div>
  );
};
