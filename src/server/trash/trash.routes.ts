import { listTrash, removeFromTrash, restoreFromTrash } from '../../shared/api/trash.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { TrashService } from './trash.service.ts';

/** The routes of deleted agents. */
export const trashRoutes =
  (trash: TrashService): Routes =>
  (bind) => {
    bind(listTrash, async () => ({ entries: await trash.list() }));
    bind(restoreFromTrash, async ({ params, query }) => ({
      ok: true as const,
      id: await trash.restore(params.entry, query.name),
    }));
    bind(removeFromTrash, async ({ params }) => {
      await trash.remove(params.entry);
      return { ok: true as const };
    });
  };
