import { useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import { browserStorage, type TextStorage } from '../browser-storage.ts';

const STORAGE_KEY = 'dot-mi.line-numbers';
const latest = createStore<boolean | null>(() => null);

/** Whether the editor shows line numbers. This browser remembers it, and without storage it doesn't. */
export const lineNumbersChosen = (storage: Pick<TextStorage, 'getItem'> = browserStorage): boolean =>
  storage.getItem(STORAGE_KEY) === 'shown';

/** Shows or hides the line numbers of every editor of this page, and of the pages that open later. */
export const chooseLineNumbers = (areShown: boolean, storage: TextStorage = browserStorage): void => {
  if (areShown) storage.setItem(STORAGE_KEY, 'shown');
  else storage.removeItem(STORAGE_KEY);
  latest.setState(areShown, true);
};

/** Whether the editor shows line numbers, also after they were switched on this page. */
export const useLineNumbers = (): boolean =>
  useSyncExternalStore(latest.subscribe, () => latest.getState() ?? lineNumbersChosen());
