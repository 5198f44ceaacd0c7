import { z } from 'zod';
import { EDITABLE_FILES } from '../../../shared/api/names.ts';
import { type BrowserDatabase, createBrowserDatabase } from '../browser-storage.ts';

const keptDraft = z.object({
  root: z.string(),
  id: z.string(),
  file: z.enum(EDITABLE_FILES),
  text: z.string(),
  base: z.object({ content: z.string(), etag: z.string().nullable() }),
  changedAt: z.number(),
  writer: z.string(),
});

/**
 * A draft as it outlives the page. `root` is the directory of the agents, `changedAt` is in ms since 1970,
 * and `writer` is the page that wrote it. The last two identify one version.
 */
export type KeptDraft = Readonly<z.infer<typeof keptDraft>>;

/** Identifies a kept draft. There is one per file. */
export type DraftKey = Pick<KeptDraft, 'root' | 'id' | 'file'>;

/** Identifies one version of a kept draft. */
export type DraftVersion = Pick<KeptDraft, 'writer' | 'changedAt'>;

/** Stores drafts beyond the page. Every method rejects when the browser keeps nothing. */
export interface DraftStore {
  readonly all: (root: string) => Promise<readonly KeptDraft[]>;
  /** Stores a draft and replaces the existing one, no matter which page wrote it. */
  readonly put: (draft: KeptDraft) => Promise<void>;
  /** Removes a draft if it is still that version, so that no page removes text that another one typed. */
  readonly remove: (key: DraftKey, version: DraftVersion) => Promise<void>;
}

/**
 * Keeps drafts in the browser's database, which fits any file's text. localStorage is limited to 5 MiB in
 * all.
 */
export const createDraftStore = (
  { run }: BrowserDatabase = createBrowserDatabase({
    name: 'dot-mi',
    store: 'drafts',
    keyPath: ['root', 'id', 'file'],
  }),
): DraftStore => ({
  all: async (root) => {
    // IndexedDB sorts an array after every string.
    const found = await run<unknown[]>('readonly', (store) =>
      store.getAll(IDBKeyRange.bound([root], [root, []])),
    );
    return found.flatMap((record) => keptDraft.safeParse(record).data ?? []);
  },
  put: async (draft) => {
    await run('readwrite', (store) => store.put(draft));
  },
  remove: async ({ root, id, file }, version) => {
    await run<unknown>('readwrite', (store) => {
      const key = [root, id, file];
      const request = store.get(key);
      request.onsuccess = () => {
        const { data } = keptDraft.safeParse(request.result);
        if (data?.writer === version.writer && data.changedAt === version.changedAt) store.delete(key);
      };
      return request;
    });
  },
});
