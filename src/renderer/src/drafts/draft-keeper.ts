import type { DraftStore, DraftVersion } from './draft-store.ts';
import type { Draft, Drafts } from './drafts.ts';

/** Options and callbacks of {@link keepDrafts}. */
export interface DraftKeeperOptions {
  readonly drafts: Drafts;
  readonly store: DraftStore;
  /** The path of the root, under which the store keeps them. */
  readonly root: string;
  readonly rootId: string;
  /** A name for this page that no other page has. */
  readonly writer: string;
  /** The time in ms since 1970. */
  readonly now: () => number;
  /** The browser can't keep drafts. Called once. */
  readonly onFailure: (error: unknown) => void;
}

/** Keeps the drafts of a root. */
export interface DraftKeeper {
  /** Brings back the drafts that earlier pages left, and returns them. Call it before anyone can type. */
  readonly restore: () => Promise<readonly Draft[]>;
  /** Writes all changes that aren't written yet. */
  readonly flush: () => void;
  /** Writes all changes, and stops following the drafts. */
  readonly stop: () => void;
}

/** The longest time that typed text exists only in memory. */
export const KEEP_WITHIN_MS = 400;

/**
 * Keeps a page's drafts beyond the page. Writes each within {@link KEEP_WITHIN_MS} of a key press, and
 * removes it when it is saved or discarded. Two pages with the same file open have a draft each, but share
 * one kept copy with the latest typed text. Only the page that wrote or read that version removes it.
 */
export const keepDrafts = (options: DraftKeeperOptions): DraftKeeper => {
  const { drafts, store, root, rootId, writer, now } = options;
  const unwritten = new Set<string>();
  const known = new Map<string, Draft>();
  const versions = new Map<string, DraftVersion>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failed = false;
  let lastMs = 0;

  const guard = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => {
      if (!failed) options.onFailure(error);
      failed = true;
    });
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const key of unwritten) {
      const draft = known.get(key);
      if (!draft) continue;
      const { id, file, text, base } = draft;
      // Two versions from one page never have the same time, however quickly they follow each other.
      lastMs = Math.max(now(), lastMs + 1);
      const version = { writer, changedAt: lastMs };
      versions.set(key, version);
      guard(store.put({ root, id, file, text: String(text), base, ...version }));
    }
    unwritten.clear();
  };

  const follow = (): void => {
    const current = new Map(drafts.all().map((draft) => [keyOf(draft), draft]));
    for (const [key, draft] of current) {
      const before = known.get(key);
      if (before?.text !== draft.text || before.base !== draft.base) unwritten.add(key);
      known.set(key, draft);
    }
    for (const [key, { id, file }] of known) {
      if (current.has(key)) continue;
      known.delete(key);
      unwritten.delete(key);
      const version = versions.get(key);
      versions.delete(key);
      if (version) guard(store.remove({ root, id, file }, version));
    }
    // Key presses don't restart the timer: someone may type for minutes without a pause.
    if (unwritten.size > 0) timer ??= setTimeout(flush, KEEP_WITHIN_MS);
  };

  const restore = async (): Promise<readonly Draft[]> => {
    const restored: Draft[] = [];
    try {
      for (const kept of await store.all(root)) {
        const { id, file, text, base, changedAt } = kept;
        if (drafts.get(id, file)) continue;
        const draft: Draft = {
          root: rootId,
          id,
          file,
          text,
          base,
          saving: false,
          error: null,
          restoredFrom: changedAt,
        };
        versions.set(keyOf(draft), { writer: kept.writer, changedAt });
        known.set(keyOf(draft), draft);
        drafts.put(draft);
        restored.push(draft);
      }
    } catch (error) {
      guard(Promise.reject(error));
    }
    return restored;
  };

  const unsubscribe = drafts.subscribe(follow);
  follow();
  return {
    restore,
    flush,
    stop: () => {
      unsubscribe();
      flush();
    },
  };
};

const keyOf = ({ id, file }: Draft): string => `${id}/${file}`;
