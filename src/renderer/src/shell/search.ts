// This part of the search is separate, because the rest of the page needs it and the dialog loads on first use.
import type { QueryClient } from '@tanstack/react-query';
import { createStore } from 'zustand/vanilla';
import { kept, storedTexts } from '../kept.ts';
import type { PageRoute } from '../routes.ts';
import type { ShortcutId } from './shortcuts.ts';

/** The state and functions that a command can use. */
export interface CommandContext {
  readonly page: PageRoute;
  readonly client: QueryClient;
  readonly navigate: (path: string) => void;
  /** Opens an overlay in place of the search. */
  readonly show: (overlay: 'shortcuts' | 'changes') => void;
}

/** An action in the command palette. */
export interface SearchCommand {
  /** A unique id, such as `agents.new`. */
  readonly id: string;
  readonly title: string;
  /** The heading of the command's group in the palette. */
  readonly group: string;
  /** Other words that find the command. */
  readonly keywords?: string;
  readonly shortcut?: ShortcutId;
  /** The query to show next, instead of closing the palette. */
  readonly query?: string;
  readonly run: () => void;
}

/** Returns the prefix of a query that links shared entries to an agent, by default to the open one. */
export const linkPrefix = (id?: string): string => (id === undefined ? 'link: ' : `link ${id}: `);

/** A feature's commands that currently apply. `app-commands.ts` lists the contributors. */
export type CommandSource = (context: CommandContext) => readonly SearchCommand[];

const MOST_RECENT = 12;

/** Returns the keys of recent items, newest first, such as `agent:scout`. */
export const recentKeys = (): readonly string[] => storedTexts(kept.get('recent'));

/** Moves an item to the front of the recent ones. */
export const rememberRecent = (key: string): void => {
  const keys = [key, ...recentKeys().filter((other) => other !== key)].slice(0, MOST_RECENT);
  kept.set('recent', JSON.stringify(keys));
};

/** The text typed for the search. `keys` were pressed before the field had focus. */
interface SearchInput {
  readonly query: string;
  readonly keys: readonly WaitingKey[];
}

const WAITING_KEYS = ['ArrowDown', 'ArrowUp', 'Enter'] as const;

/** A key that acts on the list of matches. */
export type WaitingKey = (typeof WAITING_KEYS)[number];

/** Marks the search dialog, which handles keys itself. */
export const SEARCH_DIALOG = 'data-search';

/** The parts of a key event that typing ahead needs. */
export type TypedKey = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'getModifierState'
>;

const EMPTY: SearchInput = { query: '', keys: [] };

/** The page's only search input. */
export const searchInput = createStore<SearchInput>(() => EMPTY);

/** Replaces the query, for example when someone types in the field. */
export const setQuery = (query: string): void => searchInput.setState({ query });

/** Removes the waiting keys. Call this once they're handled. */
export const dropKeys = (): void => searchInput.setState({ keys: [] });

const isWaitingKey = (key: string): key is WaitingKey => (WAITING_KEYS as readonly string[]).includes(key);

/** Adds a key to the typed text. Returns whether the key belongs to the search. Escape calls `onCancel`. */
export const typeAhead = (press: TypedKey, onCancel: () => void): boolean => {
  const { query, keys } = searchInput.getState();
  const { key, isComposing } = press;
  // Windows reports Ctrl and Alt for AltGr, which types "@" or "€".
  const isShortcut = (press.ctrlKey || press.metaKey || press.altKey) && !press.getModifierState('AltGraph');
  if (isComposing || isShortcut) return false;
  if (key === 'Escape') onCancel();
  else if (key === 'Backspace') searchInput.setState({ query: query.slice(0, -1) });
  else if (isWaitingKey(key)) searchInput.setState({ keys: [...keys, key] });
  // Typing starts over at the best match. Keys after Enter are for the page that Enter opens.
  else if (key.length === 1 && !keys.includes('Enter'))
    searchInput.setState({ query: query + key, keys: [] });
  else return key === 'Tab' || key.length === 1;
  return true;
};

/**
 * Starts an empty search. From now on, stores each key that would miss the field because its code is loading, it's
 * about to open, or something else took focus. The returned function stops this.
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
