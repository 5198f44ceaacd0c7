import type { ApiError } from '../../api/client.ts';
import type { PriceEdit } from './price-edits.ts';

/**
 * Why an edit was not made. `changed`: the file is another version than the one it was made for. `lossy`: it would drop
 * what could not be read of the file, and waits for a yes. `failed`: it could not be written.
 */
export type Obstacle =
  | { readonly kind: 'changed' }
  | { readonly kind: 'lossy' }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** An edit that was asked for and is not made. */
export interface UnsettledEdit {
  readonly id: number;
  readonly edit: PriceEdit;
  /** Of the file that it was made for. */
  readonly etag: string | null;
  readonly obstacle: Obstacle;
}

/** Where edits are until they are made or given up. It outlives the view that shows it, not the page. */
export interface EditDesk {
  /** The oldest first; the same array until one comes or goes. */
  readonly get: () => readonly UnsettledEdit[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Keeps an edit. It takes the place of one of the same prices: whoever types a price again means the new one. */
  readonly keep: (edit: PriceEdit, etag: string | null, obstacle: Obstacle) => void;
  /** Takes an edit off the desk, to make it or to give it up; null when it is not there any more. */
  readonly take: (id: number) => UnsettledEdit | null;
  /** Says that the desk is in sight, until the answer is called. */
  readonly show: () => () => void;
  readonly isShown: () => boolean;
  /** An own write made one version of the file of another. */
  readonly wrote: (from: string | null, to: string) => void;
  /** The version that own writes made of this one: an edit that began before them fits what came of it. */
  readonly latest: (etag: string | null) => string | null;
}

const concernsSame = (one: PriceEdit, other: PriceEdit): boolean =>
  one.kind === 'change' &&
  other.kind === 'change' &&
  one.name === other.name &&
  Object.keys(one.changes).sort().join() === Object.keys(other.changes).sort().join();

/** Makes an empty desk. */
export const createEditDesk = (): EditDesk => {
  let unsettled: readonly UnsettledEdit[] = [];
  let lastId = 0;
  const views = new Set<symbol>();
  const listeners = new Set<() => void>();
  const successors = new Map<string | null, string>();
  const replace = (next: readonly UnsettledEdit[]): void => {
    unsettled = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => unsettled,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    keep: (edit, etag, obstacle) => {
      lastId += 1;
      const others = unsettled.filter((other) => !concernsSame(other.edit, edit));
      replace([...others, { id: lastId, edit, etag, obstacle }]);
    },
    take: (id) => {
      const taken = unsettled.find((each) => each.id === id);
      if (!taken) return null;
      replace(unsettled.filter((each) => each !== taken));
      return taken;
    },
    show: () => {
      const view = Symbol('view');
      views.add(view);
      return () => void views.delete(view);
    },
    isShown: () => views.size > 0,
    wrote: (from, to) => {
      // Whoever writes back what was there before must not send the search for the latest round in circles.
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

/** The one desk of the page. */
export const editDesk: EditDesk = createEditDesk();
