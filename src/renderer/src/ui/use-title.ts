import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { common } from '../strings/common.ts';

/** The page's title, for screen readers, which don't announce a title that changes. */
export const pageTitle = createStore<string>(() => '');

/** The number of agents that wait for a person, which the title of each tab shows. */
export const waitingAgents = createStore<number>(() => 0);

/** Sets the window's title, the most specific part first. */
export const useTitle = (...parts: readonly string[]): void => {
  const waiting = useStore(waitingAgents);
  const title = `${waiting > 0 ? `(${waiting}) ` : ''}${common.title(...parts)}`;
  const shown = parts.join(', ');
  useEffect(() => {
    document.title = title;
    pageTitle.setState(shown, true);
  }, [title, shown]);
};
