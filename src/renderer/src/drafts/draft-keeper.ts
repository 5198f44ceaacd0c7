import type { DraftHead, DraftRef, KeptDraft, RootDrafts } from './draft-stores.ts';
import type { Draft, Drafts } from './drafts.ts';

interface DraftCopiesOptions {
  /** Stores drafts on the server, where every browser finds them. */
  readonly server: RootDrafts;
  /** Returns whether the server stores drafts for this page, which must be signed in. */
  readonly mayUseServer: () => boolean;
  /** Stores drafts when the server can't: without a connection, or on a page that isn't signed in. */
  readonly browser: RootDrafts;
  /** A unique name for this page. */
  readonly writer: string;
}

/** The known stored copies of one draft. */
interface DraftEntry {
  draft: Draft;
  /** True if the draft was saved or discarded. */
  isGone: boolean;
  isUnwritten: boolean;
  isWriting: boolean;
  /** True if neither the server nor the browser stored the latest text. */
  isLost: boolean;
  typedAt: number;
  onServer: DraftRef | null;
  inBrowser: DraftRef | null;
  /** Other pages' versions that this draft continues. */
  replaces: DraftRef | null;
  replacesInBrowser: DraftRef | null;
}

/** Writes and removes the stored copies of drafts. */
interface DraftCopies {
  /** Stores the text on the server, or in the browser if that fails. Never rejects. */
  readonly write: (entry: DraftEntry) => Promise<void>;
  /** Rejects if the server can't be reached. */
  readonly remove: (entry: DraftEntry) => Promise<void>;
  readonly putInBrowser: (entry: DraftEntry) => Promise<void>;
}

/** How long to wait for the server before the browser stores the text too. */
const RESPONSE_WITHIN_MS = 1000;

/** Creates {@link DraftCopies}. Calls `retryLater` if the server couldn't store a draft. */
const createDraftCopies = (options: DraftCopiesOptions, retryLater: () => void): DraftCopies => {
  const { server, mayUseServer, browser, writer } = options;

  const keptOf = ({ draft: { id, file, text, base }, typedAt }: DraftEntry): KeptDraft => {
    return { id, file, writer, typedAt, text: String(text), base };
  };
  const refTo = ({ draft: { id, file } }: DraftEntry, version: string): DraftRef => ({
    id,
    file,
    writer,
    version,
  });

  const putInBrowser = async (entry: DraftEntry): Promise<void> => {
    const kept = keptOf(entry);
    const version = await browser.put(kept, entry.replacesInBrowser);
    entry.inBrowser = refTo(entry, version);
    entry.replacesInBrowser = null;
  };
  const removeFromBrowser = async (entry: DraftEntry): Promise<void> => {
    for (const ref of [entry.inBrowser, entry.replacesInBrowser]) if (ref) await browser.remove(ref);
    entry.inBrowser = null;
    entry.replacesInBrowser = null;
  };

  const putInBrowserOrLose = async (entry: DraftEntry): Promise<void> => {
    try {
      await putInBrowser(entry);
      entry.isLost = false;
    } catch {
      entry.isLost = true;
      retryLater();
    }
  };

  const write = async (entry: DraftEntry): Promise<void> => {
    entry.isUnwritten = false;
    if (!mayUseServer()) return putInBrowserOrLose(entry);
    const late = setTimeout(() => void putInBrowser(entry).catch(() => {}), RESPONSE_WITHIN_MS);
    try {
      const version = await server.put(keptOf(entry), entry.replaces);
      entry.onServer = refTo(entry, version);
      entry.replaces = null;
      entry.isLost = false;
      clearTimeout(late);
      // If this fails, the leftover copy does no harm: it's older than the server's, which the next page prefers.
      await removeFromBrowser(entry).catch(() => {});
    } catch {
      clearTimeout(late);
      retryLater();
      await putInBrowserOrLose(entry);
    }
  };

  const remove = async (entry: DraftEntry): Promise<void> => {
    await removeFromBrowser(entry).catch(() => {});
    for (const ref of [entry.onServer, entry.replaces]) if (ref) await server.remove(ref);
    entry.onServer = null;
    entry.replaces = null;
  };

  return { write, remove, putInBrowser };
};

interface DraftKeeperOptions extends DraftCopiesOptions {
  readonly drafts: Drafts;
  readonly rootId: string;
  /** Called with true once neither the server nor the browser stores the latest text, and with false once one does. */
  readonly onLost: (isLost: boolean) => void;
}

/** Stores a root's drafts. */
export interface DraftKeeper {
  /** Restores the drafts that earlier pages left, and returns them. Call it before anyone can type. */
  readonly restore: () => Promise<readonly Draft[]>;
  /** Compares the drafts with the server's list, and stores again those that another page removed there. */
  readonly compare: (kept: readonly DraftHead[]) => void;
  /** Replaces the page's draft with another page's. Resolves to whether that draft still existed. */
  readonly adopt: (head: DraftHead) => Promise<boolean>;
  /** Retries at once to give the server the drafts that only the browser has. */
  readonly retry: () => void;
  readonly flush: () => void;
  /** Writes unsaved changes where it's fastest, because the page may be closing. */
  readonly flushBeforeLeaving: () => void;
  /** Writes all changes, and stops following the drafts. */
  readonly stop: () => void;
  /** Returns whether closing the page would lose text, because nothing stores it. */
  readonly holdsLost: () => boolean;
}

/** How long typed text can exist only in memory. */
export const KEEP_WITHIN_MS = 400;
const RETRY_AFTER_MS = 5000;
const READ_WITHIN_MS = 3000;

/**
 * Stores a page's drafts so that they outlive it. Writes each draft within {@link KEEP_WITHIN_MS} of a key press, and
 * removes it when it's saved or discarded. Each page has its own copy, so that no page removes another's text.
 */
export const keepDrafts = (options: DraftKeeperOptions): DraftKeeper => {
  const { drafts, server, mayUseServer, browser, rootId } = options;
  const entries = new Map<string, DraftEntry>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let lastMs = 0;

  const holdsLost = (): boolean => [...entries.values()].some(({ isLost, isGone }) => isLost && !isGone);
  let wasLost = false;
  const reportLost = (): void => {
    if (holdsLost() === wasLost) return;
    wasLost = !wasLost;
    options.onLost(wasLost);
  };

  const retryLater = (): void => {
    if (!isStopped && (mayUseServer() || holdsLost())) retryTimer ??= setTimeout(retry, RETRY_AFTER_MS);
  };
  const { write, remove, putInBrowser } = createDraftCopies(options, retryLater);

  /** Processes a draft's pending tasks, one at a time. */
  const work = async (key: string, entry: DraftEntry): Promise<void> => {
    if (entry.isWriting) return;
    entry.isWriting = true;
    try {
      if (entry.isGone) await remove(entry);
      else if (entry.isUnwritten) await write(entry);
    } catch {
      retryLater();
      entry.isWriting = false;
      return;
    }
    entry.isWriting = false;
    reportLost();
    const isRemoved = entry.isGone && !entry.onServer && !entry.replaces && !entry.inBrowser;
    if (isRemoved && entries.get(key) === entry) entries.delete(key);
    else if (entry.isGone) void work(key, entry);
    else if (entry.isUnwritten) writeSoon();
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const [key, entry] of entries) if (entry.isUnwritten && !entry.isGone) void work(key, entry);
  };
  // Key presses don't restart the timer: someone may type for minutes without a pause.
  const writeSoon = (): void => {
    if (!isStopped) timer ??= setTimeout(flush, KEEP_WITHIN_MS);
  };
  const retry = (): void => {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    for (const [key, entry] of entries) {
      if (entry.inBrowser || entry.replacesInBrowser || entry.isLost) entry.isUnwritten = true;
      if (entry.isGone || entry.isUnwritten) void work(key, entry);
    }
  };

  const entryOf = (draft: Draft): DraftEntry => {
    const key = keyOf(draft);
    const entry = entries.get(key) ?? {
      draft,
      isGone: false,
      isUnwritten: false,
      isWriting: false,
      isLost: false,
      typedAt: 0,
      onServer: null,
      inBrowser: null,
      replaces: null,
      replacesInBrowser: null,
    };
    entries.set(key, entry);
    return entry;
  };

  const follow = (): void => {
    const current = new Set<string>();
    for (const draft of drafts.all()) {
      const key = keyOf(draft);
      current.add(key);
      const before = entries.get(key);
      const isChanged =
        before?.draft.text !== draft.text || before.draft.base !== draft.base || before.isGone;
      const entry = entryOf(draft);
      entry.draft = draft;
      if (!isChanged) continue;
      entry.isGone = false;
      entry.isUnwritten = true;
      // Two versions from one page never have the same time, even within one millisecond.
      lastMs = Math.max(draft.typedAt, lastMs + 1);
      entry.typedAt = lastMs;
      writeSoon();
    }
    for (const [key, entry] of entries) {
      if (current.has(key) || entry.isGone) continue;
      entry.isGone = true;
      entry.isUnwritten = false;
      void work(key, entry);
    }
  };

  /** Shows a stored draft without writing it again. */
  const show = (kept: KeptDraft, restoredFrom: number | null): Draft => {
    const { id, file, text, base, typedAt } = kept;
    const origin = { writer: kept.writer, typedAt };
    const draft = {
      root: rootId,
      id,
      file,
      text,
      base,
      typedAt,
      saving: false,
      error: null,
      restoredFrom,
      origin,
    };
    const entry = entryOf(draft);
    entry.draft = draft;
    entry.isGone = false;
    entry.typedAt = typedAt;
    return draft;
  };

  const restore = async (): Promise<readonly Draft[]> => {
    // If a store fails or takes too long, continue without its drafts, so that typing can begin.
    const none: readonly DraftHead[] = [];
    const [onServer, inBrowser] = await Promise.all([
      mayUseServer() ? within(READ_WITHIN_MS, server.all()).catch(() => none) : none,
      within(READ_WITHIN_MS, browser.all()).catch(() => none),
    ]);
    const newest = new Map<string, DraftHead>();
    for (const head of [...onServer, ...inBrowser]) {
      const key = keyOf(head);
      if ((newest.get(key)?.typedAt ?? 0) < head.typedAt) newest.set(key, head);
    }
    const restored: Draft[] = [];
    for (const [key, head] of newest) {
      if (drafts.get(head.id, head.file)) continue;
      const isInBrowser = inBrowser.includes(head);
      const kept = await (isInBrowser ? browser : server).read(head).catch(() => undefined);
      if (!kept || drafts.get(head.id, head.file) || isStopped) continue;
      const draft = show(kept, kept.typedAt);
      const entry = entryOf(draft);
      const isSame = (other: DraftHead) => keyOf(other) === key && other.writer === head.writer;
      entry.replaces = onServer.find(isSame) ?? null;
      entry.replacesInBrowser = inBrowser.find(isSame) ?? null;
      drafts.put(draft);
      restored.push(draft);
      if (!isInBrowser || !mayUseServer()) continue;
      entry.isUnwritten = true;
      writeSoon();
    }
    return restored;
  };

  const unsubscribe = drafts.subscribe(follow);
  follow();
  return {
    restore,
    compare: (kept) => {
      for (const [key, entry] of entries) {
        const ref = entry.onServer ?? entry.replaces;
        if (!ref || entry.isGone || entry.isUnwritten || entry.isWriting) continue;
        if (kept.some((head) => keyOf(head) === key && head.writer === ref.writer)) continue;
        entry.replaces = null;
        entry.isUnwritten = true;
        writeSoon();
      }
    },
    adopt: async (head) => {
      const kept = await server.read(head);
      if (!kept) return false;
      const draft = show(kept, null);
      const entry = entryOf(draft);
      entry.replaces = head;
      entry.isUnwritten = true;
      drafts.put(draft);
      writeSoon();
      return true;
    },
    retry,
    flush,
    flushBeforeLeaving: () => {
      for (const entry of entries.values()) {
        const isAtRisk = entry.isUnwritten || entry.isWriting;
        if (isAtRisk && !entry.isGone) void putInBrowser(entry).catch(() => {});
      }
      flush();
    },
    stop: () => {
      unsubscribe();
      flush();
      isStopped = true;
      clearTimeout(retryTimer);
      clearTimeout(timer);
    },
    holdsLost,
  };
};

const keyOf = ({ id, file }: Pick<Draft, 'id' | 'file'>): string => `${id}/${file}`;

const within = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('No answer.')), milliseconds);
    }),
  ]);
