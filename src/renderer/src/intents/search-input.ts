import { createStore } from 'zustand/vanilla';

/** What was typed for the search. `keys` pressed before its field had the focus wait for it. */
interface SearchInput {
  readonly query: string;
  readonly keys: readonly WaitingKey[];
}

const WAITING_KEYS = ['ArrowDown', 'ArrowUp', 'Enter'] as const;

/** A key that acts on the list of matches. */
export type WaitingKey = (typeof WAITING_KEYS)[number];

/** Marks the search dialog, whose own keys need no help. */
export const SEARCH_DIALOG = 'data-search';

/** The parts of a key event that typing ahead needs. */
export type TypedKey = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'getModifierState'
>;

const EMPTY: SearchInput = { query: '', keys: [] };

/** The page's only search input. */
export const searchInput = createStore<SearchInput>(() => EMPTY);

/** Replaces the query, such as by typing in the field. */
export const setQuery = (query: string): void => searchInput.setState({ query });

/** Forgets the waiting keys, because they were handled. */
export const dropKeys = (): void => searchInput.setState({ keys: [] });

const isWaitingKey = (key: string): key is WaitingKey => (WAITING_KEYS as readonly string[]).includes(key);

/** Adds a key to what was typed. Returns whether the key belongs to the search. Escape calls `onCancel`. */
export const typeAhead = (press: TypedKey, onCancel: () => void): boolean => {
  const { query, keys } = searchInput.getState();
  const { key, isComposing } = press;
  // Where AltGr types "@" or "€", Windows reports Ctrl and Alt.
  const isShortcut = (press.ctrlKey || press.metaKey || press.altKey) && !press.getModifierState('AltGraph');
  if (isComposing || isShortcut) return false;
  if (key === 'Escape') onCancel();
  else if (key === 'Backspace') searchInput.setState({ query: query.slice(0, -1) });
  else if (isWaitingKey(key)) searchInput.setState({ keys: [...keys, key] });
  // Typing starts again at the best match. What follows Enter is for the page that it opens.
  else if (key.length === 1 && !keys.includes('Enter'))
    searchInput.setState({ query: query + key, keys: [] });
  else return key === 'Tab' || key.length === 1;
  return true;
};

/**
 * Starts an empty search, and keeps each key from now on that would miss the field: its code is loading, it
 * is about to open, or something else took the focus. The returned function ends that.
 */
export const startSearch = (onCancel: () => void): (() => void) => {
  searchInput.setState(EMPTY);
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (target instanceof Element && target.closest(`[${SEARCH_DIALOG}]`)) return;
    if (!typeAhead(event, onCancel)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('keydown', onKeyDown, { capture: true });
  return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
};
