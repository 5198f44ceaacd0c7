import { historyField, undo } from '@codemirror/commands';
import { EditorState, type Transaction } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameText } from '../../src/renderer/src/drafts/drafts.ts';
import {
  EditorSession,
  MAX_OUTSIDE_HISTORY,
} from '../../src/renderer/src/features/files/editor/editor-session.ts';
import { toEditorText, toFileContent } from '../../src/renderer/src/features/files/line-endings.ts';

const BOM = '\uFEFF';
const piece = fc.constantFrom('a', 'é', '😀', '\n', '\r\n', '\r', '\u2028', '\t', ' ');
const content = fc
  .tuple(fc.boolean(), fc.array(piece, { maxLength: 40 }))
  .map(([bom, pieces]) => (bom ? BOM : '') + pieces.join(''));

const open = (text: string, base = text) => new EditorSession('label', 'plain', text, base);

describe('EditorSession', () => {
  it('holds the text of any file so that it is saved byte for byte', () => {
    fc.assert(
      fc.property(content, (file) => {
        const { state } = open(toEditorText(file));
        expect(toFileContent(String(state.doc), file)).toBe(file);
      }),
    );
  });

  it('splits pasted text with its own line endings into lines', () => {
    const { state } = open('one\ntwo');
    const { state: pasted } = state.update(state.replaceSelection('a\r\nb\rc\n'));
    expect(toFileContent(String(pasted.doc), 'one\r\ntwo')).toBe('a\r\nb\r\nc\r\none\r\ntwo');
  });

  it('changes to any other text, and back with one undo', () => {
    fc.assert(
      fc.property(content, content, (first, second) => {
        const [before, after] = [toEditorText(first), toEditorText(second)];
        const session = open(before);
        const transaction = session.transactionTo(session.state, after);
        if (before === after) expect(transaction).toBeNull();
        else {
          const state = transaction?.state ?? session.state;
          expect(String(state.doc)).toBe(after);
          let undone: Transaction | undefined;
          undo({
            state,
            dispatch: (step) => {
              undone = step;
            },
          });
          expect(String(undone?.newDoc)).toBe(before);
        }
      }),
    );
  });

  it('bounds what rewrites by another program add to the undo history, and keeps what a person typed in it', () => {
    const session = open('x'.repeat(200_000));
    for (let nth = 0; nth < 60; nth++) {
      const text = String(nth % 10).repeat(200_000);
      session.setBase(text);
      const rewritten = session.transactionTo(session.state, text);
      if (rewritten) session.state = rewritten.state;
    }
    const history = JSON.stringify(session.state.toJSON({ history: historyField }).history);
    expect(history.length).toBeLessThan(2 * MAX_OUTSIDE_HISTORY);
    session.state = session.state.update({ changes: { from: 0, insert: 'typed' }, userEvent: 'input' }).state;
    undo({
      state: session.state,
      dispatch: (step) => {
        session.state = step.state;
      },
    });
    expect(String(session.state.doc)).toBe('9'.repeat(200_000));
  });

  it('keeps the undo history when another view returns the text', () => {
    const session = open('one');
    const typed = session.state.update({ changes: { from: 3, insert: '!' }, userEvent: 'input.type' }).state;
    session.state = typed;
    const elsewhere = EditorState.create({ doc: typed.doc, extensions: session.extensions() });
    session.adopt(elsewhere.update({ changes: { from: 0, insert: '> ' } }).state);
    expect(String(session.state.doc)).toBe('> one!');
    undo({
      state: session.state,
      dispatch: (step) => {
        session.state = step.state;
      },
    });
    expect(String(session.state.doc)).not.toBe('> one!');
  });
});

describe('isSameText', () => {
  it('compares strings and trees by their text', () => {
    const { doc } = open('one\ntwo').state;
    expect(isSameText('one\ntwo', doc)).toBe(true);
    expect(isSameText(doc, 'one\ntwx')).toBe(false);
    expect(isSameText(doc, open('one\ntwo').state.doc)).toBe(true);
    expect(isSameText('a', 'b')).toBe(false);
  });
});
