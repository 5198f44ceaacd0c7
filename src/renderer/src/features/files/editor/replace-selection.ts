import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Replaces or deletes a selection, and inserts multi-line text, through the state alone. The browser would
 * join and split lines with `style` attributes, and the CSP refuses each one with a console error.
 */
export const replaceSelection: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    const insert = inputType === 'insertText' ? data : inputType.startsWith('delete') ? '' : null;
    if (insert === null || view.composing || view.state.readOnly) return false;
    const { from, to } = selectedRange(view);
    if (from === to && !insert.includes('\n')) return false;
    const text = view.state.toText(insert);
    view.dispatch({
      changes: { from, to, insert: text },
      selection: { anchor: from + text.length },
      scrollIntoView: true,
      userEvent: insert === '' ? 'delete.selection' : 'input.type',
    });
    event.preventDefault();
    return true;
  },
});

/**
 * The selected range. The state's selection also covers lines that aren't drawn. If it is empty, the page may
 * have a selection that the state doesn't have yet.
 */
const selectedRange = (view: EditorView): { readonly from: number; readonly to: number } => {
  const { main } = view.state.selection;
  const { root } = view;
  if (!main.empty || !(root instanceof ShadowRoot)) return main;
  const [drawn] = document.getSelection()?.getComposedRanges({ shadowRoots: [root] }) ?? [];
  if (!drawn || drawn.collapsed || !view.contentDOM.contains(drawn.startContainer)) return main;
  return {
    from: view.posAtDOM(drawn.startContainer, drawn.startOffset),
    to: view.posAtDOM(drawn.endContainer, drawn.endOffset),
  };
};
