import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Types over a selection, deletes it, and takes text of several lines, in the state alone. Left to the browser, lines
 * would be joined and split with `style` attributes, each of which the CSP refuses with an error in the console.
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
 * What is selected: as the state has it, which reaches beyond the lines that are drawn, or what the page selected and
 * the state has not been told of yet.
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
