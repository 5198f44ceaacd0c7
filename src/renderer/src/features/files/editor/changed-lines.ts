import {
  type EditorState,
  type Extension,
  RangeSet,
  StateEffect,
  StateField,
  type Text,
} from '@codemirror/state';
import { EditorView, GutterMarker, gutter } from '@codemirror/view';
import { unchangedLines } from '../line-diff.ts';

/** Signals that the saved version of the text changed. */
export const savedVersionChanged = StateEffect.define<null>();

class ChangedLine extends GutterMarker {
  override elementClass = 'cm-changedSinceSave';
}
const CHANGED = new ChangedLine();

/** Returns a range for each line that isn't in `base`. */
const differingLines = (doc: Text, base: Text): RangeSet<GutterMarker> => {
  if (doc.eq(base)) return RangeSet.empty;
  const lines = [...doc.iterLines()];
  const same = new Set(unchangedLines([...base.iterLines()], lines).map(([, index]) => index));
  return RangeSet.of(
    lines.flatMap((_, index) => (same.has(index) ? [] : [CHANGED.range(doc.line(index + 1).from)])),
  );
};

/** Adds the lines of changed ranges to the marked lines. */
const withChanges = (
  marked: RangeSet<GutterMarker>,
  { doc }: EditorState,
  ranges: readonly (readonly [from: number, to: number])[],
): RangeSet<GutterMarker> => {
  const starts = new Set<number>();
  for (const [from, to] of ranges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at);
      starts.add(line.from);
      at = line.to + 1;
    }
  }
  return marked.update({
    // Drop marks that are no longer at a line's start, because their line was joined to another.
    filter: (from) => doc.lineAt(from).from === from && !starts.has(from),
    add: [...starts].sort((a, b) => a - b).map((start) => CHANGED.range(start)),
  });
};

const theme = EditorView.theme({
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none' },
  '.cm-changedGutter': { width: '0.25rem' },
  '.cm-changedGutter .cm-changedSinceSave': { backgroundColor: 'var(--accent)' },
});

/** Shows a gutter that marks the lines that differ from the saved version. */
export const changedLines = (base: () => Text): Extension => {
  const field = StateField.define<RangeSet<GutterMarker>>({
    create: ({ doc }) => differingLines(doc, base()),
    update: (marked, { docChanged, changes, effects, state, newDoc }) => {
      const isSaved = effects.some((effect) => effect.is(savedVersionChanged));
      if (!docChanged && !isSaved) return marked;
      if (newDoc.eq(base())) return RangeSet.empty;
      if (!docChanged) return differingLines(newDoc, base());
      const ranges: [number, number][] = [];
      changes.iterChangedRanges((_fromA, _toA, from, to) => void ranges.push([from, to]));
      return withChanges(marked.map(changes), state, ranges);
    },
  });
  return [field, gutter({ class: 'cm-changedGutter', markers: (view) => view.state.field(field) }), theme];
};
