import { getSearchQuery, searchPanelOpen, setSearchQuery } from '@codemirror/search';
import type { EditorState, Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { strings } from '../../../strings.ts';

/** Counting stops here, so that a common letter in a large file doesn't slow down typing. */
const MAX_MATCHES = 1000;

const countMatches = (state: EditorState): { readonly count: number; readonly current: number } => {
  const query = getSearchQuery(state);
  let count = 0;
  let current = 0;
  if (!query.valid) return { count, current };
  const { from, to } = state.selection.main;
  const cursor = query.getCursor(state);
  for (let step = cursor.next(); !step.done && count < MAX_MATCHES; step = cursor.next()) {
    count++;
    if (step.value.from === from && step.value.to === to) current = count;
  }
  return { count, current };
};

/** Shows in the search panel how many matches there are, and which one is selected. */
export const matchCount: Extension = ViewPlugin.fromClass(
  class {
    readonly #label = document.createElement('span');

    constructor(view: EditorView) {
      this.#label.className = 'cm-matchCount';
      this.#label.setAttribute('role', 'status');
      this.#show(view);
    }

    update({ view, docChanged, selectionSet, transactions, startState }: ViewUpdate): void {
      const isOpen = searchPanelOpen(view.state);
      const isNews =
        docChanged ||
        selectionSet ||
        isOpen !== searchPanelOpen(startState) ||
        transactions.some(({ effects }) => effects.some((effect) => effect.is(setSearchQuery)));
      // The panel's element exists only after this update.
      if (isOpen && isNews) queueMicrotask(() => this.#show(view));
    }

    #show(view: EditorView): void {
      const field = view.dom.querySelector('.cm-search [name=search]');
      if (!field) return;
      const { search } = getSearchQuery(view.state);
      const { count, current } = countMatches(view.state);
      if (this.#label.previousElementSibling !== field) field.after(this.#label);
      this.#label.textContent =
        search === '' ? '' : strings.files.matches(current, count, count === MAX_MATCHES);
    }
  },
);
