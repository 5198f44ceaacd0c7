import type { DraftRef, DraftStore, KeptDraft } from './draft-store.ts';
import type { Draft } from './drafts.ts';

/** Options and callbacks of {@link createDraftCopies}. */
export interface DraftCopiesOptions {
  /** Where every browser finds them. */
  readonly server: DraftStore;
  /** Whether the server keeps drafts for this page. It needs to be signed in. */
  readonly mayUseServer: () => boolean;
  /** Keeps what the server can't keep now: without a connection, or on a page that isn't signed in. */
  readonly browser: DraftStore;
  /** A name for this page that no other page has. */
  readonly writer: string;
  /** Neither can keep drafts. Called once. */
  readonly onFailure: (error: unknown) => void;
}

/** What is known of the kept copies of one draft. */
export interface DraftEntry {
  draft: Draft;
  /** The draft was saved or discarded. */
  isGone: boolean;
  isUnwritten: boolean;
  isWriting: boolean;
  typedAt: number;
  onServer: DraftRef | null;
  inBrowser: DraftRef | null;
  /** Other pages' versions that this draft continues. */
  replaces: DraftRef | null;
  replacesInBrowser: DraftRef | null;
}

/** Writes and removes the kept copies of drafts. */
interface DraftCopies {
  /** Gives the server the text, or else the browser. Never rejects. */
  readonly write: (entry: DraftEntry) => Promise<void>;
  /** Rejects if the server can't be asked. */
  readonly remove: (entry: DraftEntry) => Promise<void>;
  readonly putInBrowser: (entry: DraftEntry) => Promise<void>;
}

/** After this long without an answer of the server, the browser keeps the text too. */
const ANSWER_WITHIN_MS = 1000;

/** Creates {@link DraftCopies}. Calls `retryLater` when the server didn't keep a text. */
export const createDraftCopies = (options: DraftCopiesOptions, retryLater: () => void): DraftCopies => {
  const { server, mayUseServer, browser, writer } = options;
  let hasFailed = false;

  const report = (error: unknown): void => {
    if (!hasFailed) options.onFailure(error);
    hasFailed = true;
  };
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

  const write = async (entry: DraftEntry): Promise<void> => {
    entry.isUnwritten = false;
    if (!mayUseServer()) return putInBrowser(entry).catch(report);
    const late = setTimeout(() => void putInBrowser(entry).catch(() => {}), ANSWER_WITHIN_MS);
    try {
      const version = await server.put(keptOf(entry), entry.replaces);
      entry.onServer = refTo(entry, version);
      entry.replaces = null;
      clearTimeout(late);
      // What can't be removed now is older than the server's copy, and found there by the next page.
      await removeFromBrowser(entry).catch(() => {});
    } catch {
      clearTimeout(late);
      retryLater();
      await putInBrowser(entry).catch(report);
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
