import {
  deleteDraft,
  listDrafts,
  readDraft,
  type StoredDraft,
  writeDraft,
} from '../../../shared/api/drafts.ts';
import { ROOT_HEADER } from '../../../shared/api/endpoint.ts';
import type { EditableFile } from '../../../shared/api/names.ts';
import { ApiError, call } from '../api/client.ts';
import { type BrowserDatabase, createBrowserDatabase } from '../browser-storage.ts';
import type { FileVersion } from './drafts.ts';

/** A draft as stored outside the page. `typedAt` is in ms since 1970, and `writer` is the page that typed it. */
export interface KeptDraft {
  readonly id: string;
  readonly file: EditableFile;
  readonly writer: string;
  readonly typedAt: number;
  readonly text: string;
  readonly base: FileVersion;
}

/** Identifies one version of a stored draft. Each page has its own draft of a file. */
export interface DraftRef extends Pick<KeptDraft, 'id' | 'file' | 'writer'> {
  readonly version: string;
}

/** A stored draft without its text. */
export interface DraftHead extends DraftRef {
  readonly typedAt: number;
}

/** Stores one root's drafts outside the page. Every method rejects if nothing can be stored. */
export interface RootDrafts {
  readonly all: () => Promise<readonly DraftHead[]>;
  /** Resolves to undefined if the draft is gone. */
  readonly read: (ref: DraftRef) => Promise<KeptDraft | undefined>;
  /**
   * Replaces the draft by the same writer and returns the new version. Also removes the other page's version that this draft
   * continues, unless the other page has changed it since.
   */
  readonly put: (draft: KeptDraft, replaces: DraftRef | null) => Promise<string>;
  /** Removes a draft if its version still matches, so that no page removes text that another one typed. */
  readonly remove: (ref: DraftRef) => Promise<void>;
}

/** A draft in the browser's database. `root` contains the root's path and the writer, on two lines. */
interface StoredRecord extends Omit<KeptDraft, 'typedAt'> {
  readonly root: string;
  readonly changedAt: number;
}

/**
 * Stores a root's drafts, by its path, in the browser's database, which has room for any file. localStorage is
 * limited to 5 MiB in total.
 */
export const createBrowserDrafts = (
  { run }: BrowserDatabase = createBrowserDatabase({
    name: 'dot-mi',
    store: 'drafts',
    keyPath: ['root', 'id', 'file'],
  }),
): ((root: string) => RootDrafts) => {
  return (root) => {
    const partOf = (writer: string): string => `${root}\n${writer}`;
    const parse = (found: unknown): KeptDraft[] => {
      const data = found as StoredRecord | undefined;
      if (!data || data.root !== partOf(data.writer)) return [];
      const { root: _root, changedAt, ...kept } = data;
      return [{ ...kept, typedAt: changedAt }];
    };
    const removeIn = (store: IDBObjectStore, ref: DraftRef): IDBRequest<unknown> => {
      const key = [partOf(ref.writer), ref.id, ref.file];
      const request: IDBRequest<unknown> = store.get(key);
      request.onsuccess = () => {
        const [kept] = parse(request.result);
        if (kept && String(kept.typedAt) === ref.version) store.delete(key);
      };
      return request;
    };
    const all = async (): Promise<readonly KeptDraft[]> => {
      const found = await run<unknown[]>('readonly', (store) =>
        store.getAll(IDBKeyRange.bound([root], [partOf('\uffff'), []])),
      );
      return found.flatMap(parse);
    };
    return {
      all: async () =>
        (await all()).map(({ id, file, writer, typedAt }) => {
          return { id, file, writer, typedAt, version: String(typedAt) };
        }),
      read: async (ref) =>
        (await all()).find(
          ({ id, file, writer }) => id === ref.id && file === ref.file && writer === ref.writer,
        ),
      put: async ({ typedAt, ...draft }, replaces) => {
        await run('readwrite', (store) => {
          if (replaces && replaces.writer !== draft.writer) removeIn(store, replaces);
          return store.put({ ...draft, root: partOf(draft.writer), changedAt: typedAt });
        });
        return String(typedAt);
      },
      remove: async (ref) => {
        await run<unknown>('readwrite', (store) => removeIn(store, ref));
      },
    };
  };
};

/** Converts an entry in the API's list of drafts. */
export const headOf = (
  info: Pick<StoredDraft, 'agentId' | 'path' | 'writer' | 'version' | 'typedAt'>,
): DraftHead => ({
  id: info.agentId,
  file: info.path,
  writer: info.writer,
  version: info.version,
  typedAt: Date.parse(info.typedAt),
});

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'draft_not_found' || error.code === 'draft_changed');

/** Stores drafts on the server, where every browser finds them. `rootId` is their root. */
export const createServerDrafts = (rootId: string): RootDrafts => {
  const headers = { [ROOT_HEADER]: rootId };
  const paramsOf = ({ id, writer }: Pick<DraftRef, 'id' | 'writer'>) => ({ id, writer });
  return {
    all: async () => (await call(listDrafts, { headers })).drafts.map(headOf),
    read: async (ref) => {
      try {
        const found = await call(readDraft, { params: paramsOf(ref), headers, query: { path: ref.file } });
        const { text, base } = found;
        return { ...headOf(found), text, base };
      } catch (error) {
        if (isGone(error)) return undefined;
        throw error;
      }
    },
    put: async ({ id, writer, file, text, base, typedAt }, replaces) => {
      const body = {
        path: file,
        text,
        base,
        typedAt: new Date(typedAt).toISOString(),
        ...(replaces ? { replaces: { writer: replaces.writer, version: replaces.version } } : {}),
      };
      return (await call(writeDraft, { params: { id, writer }, headers, body })).version;
    },
    remove: async (ref) => {
      try {
        const query = { path: ref.file, version: ref.version };
        await call(deleteDraft, { params: paramsOf(ref), headers, query });
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },
  };
};
