import { deleteDraft, listDrafts, readDraft, writeDraft } from '../../shared/api/drafts.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { DraftsService } from './drafts.service.ts';

/** The routes of the page's drafts. */
export const draftsRoutes =
  (drafts: DraftsService): Routes =>
  (bind) => {
    bind(listDrafts, async () => ({ drafts: await drafts.list() }));
    bind(readDraft, ({ params, query }) =>
      drafts.read({ agentId: params.id, writer: params.writer, path: query.path }),
    );
    bind(writeDraft, async ({ params, body: { replaces, ...body } }) => ({
      version: await drafts.write({ agentId: params.id, writer: params.writer, ...body }, replaces),
    }));
    bind(deleteDraft, async ({ params, query: { path, version } }) => {
      await drafts.remove({ agentId: params.id, writer: params.writer, path }, version);
      return { ok: true as const };
    });
  };
