import { z } from 'zod';
import { EDITABLE_FILES } from '../../../shared/api/names.ts';
import { type BrowserDatabase, createBrowserDatabase } from '../browser-storage.ts';
import type { DraftRef, DraftStore, KeptDraft } from './draft-store.ts';

/** `root` is the root's path and the writer on two lines. Pages of earlier versions stored only the path. */
const record = z.object({
  root: z.string(),
  id: z.string(),
  file: z.enum(EDITABLE_FILES),
  writer: z.string(),
  text: z.string(),
  base: z.object({ content: z.string(), etag: z.string().nullable() }),
  changedAt: z.number(),
});

/**
 * Keeps the drafts of a root, given by its path, in the browser's database, which fits any file's text.
 * localStorage is limited to 5 MiB in all.
 */
export const createBrowserDrafts = (
  { run }: BrowserDatabase = createBrowserDatabase({
    name: 'dot-mi',
    store: 'drafts',
    keyPath: ['root', 'id', 'file'],
  }),
): ((root: string) => DraftStore) => {
  return (root) => {
    const partOf = (writer: string): string => `${root}\n${writer}`;
    const keysOf = ({ id, file, writer }: Pick<DraftRef, 'id' | 'file' | 'writer'>) => [
      [partOf(writer), id, file],
      [root, id, file],
    ];
    const parse = (found: unknown): KeptDraft[] => {
      const { data } = record.safeParse(found);
      if (!data || (data.root !== root && data.root !== partOf(data.writer))) return [];
      const { root: _root, changedAt, ...kept } = data;
      return [{ ...kept, typedAt: changedAt }];
    };
    const removeIn = (store: IDBObjectStore, ref: DraftRef): IDBRequest<unknown> | undefined => {
      let last: IDBRequest<unknown> | undefined;
      for (const key of keysOf(ref)) {
        const request: IDBRequest<unknown> = store.get(key);
        request.onsuccess = () => {
          const [kept] = parse(request.result);
          if (kept?.writer === ref.writer && String(kept.typedAt) === ref.version) store.delete(key);
        };
        last = request;
      }
      return last;
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
        await run<unknown>(
          'readwrite',
          (store) => removeIn(store, ref) ?? (store.count() as IDBRequest<unknown>),
        );
      },
    };
  };
};
