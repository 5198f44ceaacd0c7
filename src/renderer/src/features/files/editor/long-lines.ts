// Separate from editor-extensions.ts, because it decides at each change.
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';

/** The most characters of a line that are parsed. The parser takes a whole paragraph again at each key. */
const MAX_PARSED_LINE = 20_000;

const language = new Compartment();

const hasLongLine = (doc: Text, from: number, to: number): boolean => {
  for (let at = from; at <= to; ) {
    const line = doc.lineAt(at);
    if (line.length > MAX_PARSED_LINE) return true;
    at = line.to + 1;
  }
  return false;
};

/** A language for texts without a long line. It ends when someone makes one, until the text is opened again. */
export const languageUnlessLong = (parsed: Extension, doc: Text): Extension => [
  language.of(hasLongLine(doc, 0, doc.length) ? [] : parsed),
  EditorState.transactionExtender.of(({ docChanged, changes, newDoc, startState }) => {
    const current = language.get(startState);
    if (!docChanged || !current || (Array.isArray(current) && current.length === 0)) return null;
    let isLong = false;
    changes.iterChangedRanges((_fromA, _toA, from, to) => {
      isLong ||= hasLongLine(newDoc, from, to);
    });
    return isLong ? { effects: language.reconfigure([]) } : null;
  }),
];
