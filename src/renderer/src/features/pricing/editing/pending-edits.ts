import { createStore } from 'zustand/vanilla';
import type { ApiError } from '../../../api/client.ts';
import type { PriceEdit } from './price-edits.ts';

/**
 * Why an edit wasn't saved. `changed`: the file changed since the edit began. `lossy`: saving would drop unreadable
 * entries, so it waits for confirmation. `failed`: the file couldn't be written.
 */
export type BlockReason =
  | { readonly kind: 'changed' }
  | { readonly kind: 'lossy' }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** An edit that wasn't saved. */
export interface PendingEdit {
  readonly id: number;
  readonly edit: PriceEdit;
  /** The file version that the edit was made for. */
  readonly etag: string | null;
  readonly blockedBy: BlockReason;
}

/** Stores edits that weren't saved, until they're retried or dropped. Outlives its view, but not the page. */
export interface PendingEdits {
  /** Returns the edits, oldest first. The array stays the same until one is added or removed. */
  readonly get: () => readonly PendingEdit[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Stores an edit. It replaces an earlier edit of the same prices. */
  readonly keep: (edit: PriceEdit, etag: string | null, blockedBy: BlockReason) => void;
  /** Removes and returns an edit, to retry or drop it. Null if it's gone. */
  readonly take: (id: number) => PendingEdit | null;
  /** Marks the edits as visible until the returned function is called. */
  readonly show: () => () => void;
  readonly isShown: () => boolean;
  /** Records that this page's write turned one version of the file into another. */
  readonly wrote: (from: string | null, to: string) => void;
  /** Returns the version that this page's writes made from `etag`, so that an earlier edit still applies. */
  readonly latest: (etag: string | null) => string | null;
}

const concernsSame = (one: PriceEdit, other: PriceEdit): boolean =>
  one.kind === 'change' &&
  other.kind === 'change' &&
  one.name === other.name &&
  Object.keys(one.changes).sort().join() === Object.keys(other.changes).sort().join();

/** Creates an empty store. */
export const createPendingEdits = (): PendingEdits => {
  const { getState, setState, subscribe } = createStore<readonly PendingEdit[]>(() => []);
  let lastId = 0;
  const views = new Set<symbol>();
  const successors = new Map<string | null, string>();
  const replace = (next: readonly PendingEdit[]): void => setState(next, true);
  return {
    get: getState,
    subscribe,
    keep: (edit, etag, blockedBy) => {
      lastId += 1;
      const others = getState().filter((other) => !concernsSame(other.edit, edit));
      replace([...others, { id: lastId, edit, etag, blockedBy }]);
    },
    take: (id) => {
      const taken = getState().find((each) => each.id === id);
      if (!taken) return null;
      replace(getState().filter((each) => each !== taken));
      return taken;
    },
    show: () => {
      const view = Symbol('view');
      views.add(view);
      return () => void views.delete(view);
    },
    isShown: () => views.size > 0,
    wrote: (from, to) => {
      // Otherwise, writing back an earlier version would make `latest` loop.
      successors.delete(to);
      if (from !== to) successors.set(from, to);
    },
    latest: (etag) => {
      let last = etag;
      for (let next = successors.get(last); next !== undefined; next = successors.get(last)) last = next;
      return last;
    },
  };
};

/** The page's only store of pending edits. */
export const pendingEdits: PendingEdits = createPendingEdits();
