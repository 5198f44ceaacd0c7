import { useSyncExternalStore } from 'react';
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { kept } from '../kept.ts';

const changeSchema = z.object({
  /** The `rootId` of the root that changed. */
  root: z.string(),
  undo: z.string(),
  /** What was said about it. */
  said: z.string(),
  at: z.iso.datetime(),
});

/** A bulk change of links that can be undone. */
export type LinkChange = z.infer<typeof changeSchema>;

const readKept = (): LinkChange | null => {
  try {
    return changeSchema.parse(JSON.parse(kept.get('last-links') ?? 'null'));
  } catch {
    return null;
  }
};

const store = createStore<LinkChange | null>(readKept);
store.subscribe((change) => kept.set('last-links', change === null ? null : JSON.stringify(change)));
kept.subscribe(() => {
  const change = readKept();
  if (JSON.stringify(change) !== JSON.stringify(store.getState())) store.setState(change, true);
});

/** Keeps the last bulk change, so that it can be undone after a reload or restart. */
export const keepLastLinks = (change: LinkChange): void => store.setState(change, true);

/** Forgets a change that was undone, unless a later one is kept. */
export const forgetLastLinks = (undo: string): void => {
  if (store.getState()?.undo === undo) store.setState(null, true);
};

/** The last bulk change of links in a root, if the page made it. */
export const useLastLinks = (root: string | undefined): LinkChange | null => {
  const change = useSyncExternalStore(store.subscribe, store.getState);
  return change?.root === root ? change : null;
};
