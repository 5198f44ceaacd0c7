import type { DraftStore, DraftVersion } from './draft-store.ts';
import type { Draft, Drafts } from './drafts.ts';

/** What {@link keepDrafts} needs, and whom it tells. */
export interface DraftKeeperOptions {
  readonly drafts: Drafts;
  readonly store: DraftStore;
  /** The directory of the agents: another root has other agents of the same names. */
  readonly root: string;
  /** A name of this page that no other one has. */
  readonly writer: string;
  /** The time in ms since 1970. */
  readonly now: () => number;
  /** The browser keeps no drafts; told once. */
  readonly onFailure: (error: unknown) => void;
}

/** The drafts of a root, as they are kept. */
export interface DraftKeeper {
  /** Brings back what earlier pages left; answers which drafts those are. Call it before anything can be typed. */
  readonly restore: () => Promise<readonly Draft[]>;
  /** Writes what is not written yet. */
  readonly flush: () => void;
  /** Writes, and follows the drafts no more. */
  readonly stop: () => void;
}

/** How long typed text is at most in memory alone. */
export const KEEP_WITHIN_MS = 400;

/**
 * Keeps the drafts of a page beyond it: written within {@link KEEP_WITHIN_MS} of a key, removed when they are saved or
 * discarded. Two pages with the same file open have a draft each and share one kept copy: the last one who types is in it,
 * and only the page that wrote or read this very version removes it.
 */
export const keepDrafts = (options: DraftKeeperOptions): DraftKeeper => {
  const { drafts, store, root, writer, now } = options;
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
      // No two versions of a page have one time, however quickly they follow each other.
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
    // Not begun anew by each key: someone may type for minutes without a pause.
    if (unwritten.size > 0) timer ??= setTimeout(flush, KEEP_WITHIN_MS);
  };

  const restore = async (): Promise<readonly Draft[]> => {
    const restored: Draft[] = [];
    try {
      for (const kept of await store.all(root)) {
        const { id, file, text, base, changedAt } = kept;
        if (drafts.get(id, file)) continue;
        const draft: Draft = { id, file, text, base, saving: false, error: null, restoredFrom: changedAt };
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
