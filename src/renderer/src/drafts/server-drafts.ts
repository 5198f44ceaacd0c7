import {
  type KeptDraft as Draft,
  deleteDraft,
  listDrafts,
  readDraft,
  writeDraft,
} from '../../../shared/api/drafts.ts';
import { ROOT_HEADER } from '../../../shared/api/endpoint.ts';
import { ApiError, call } from '../api/client.ts';
import type { DraftHead, DraftRef, DraftStore } from './draft-store.ts';

/** A draft of the API's list as the page names it. */
export const headOf = (
  info: Pick<Draft, 'agentId' | 'path' | 'writer' | 'version' | 'typedAt'>,
): DraftHead => ({
  id: info.agentId,
  file: info.path,
  writer: info.writer,
  version: info.version,
  typedAt: Date.parse(info.typedAt),
});

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'draft_not_found' || error.code === 'draft_changed');

/** Keeps drafts with the server, where every browser finds them. `rootId` is the root that they were typed for. */
export const createServerDrafts = (rootId: string): DraftStore => {
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
