import { listTrash, removeFromTrash, restoreFromTrash } from '../../shared/api/trash.ts';
import type { Base, Feature } from '../feature.ts';
import { createTrashService, type TrashDeps, type TrashService } from './trash.service.ts';

type TrashFeatureDeps = Pick<Base, 'root' | 'clock' | 'agentLock'> & TrashDeps;

/** Creates the root's trash. */
export const createTrash = ({
  root,
  clock,
  agentLock,
  ...deps
}: TrashFeatureDeps): Feature & TrashService => {
  const trash = createTrashService(root, clock, agentLock, deps);
  return {
    ...trash,
    routes(bind) {
      bind(listTrash, async () => ({ entries: await trash.list() }));
      bind(restoreFromTrash, async ({ params, query }) => ({
        ok: true as const,
        id: await trash.restore(params.entry, query.name),
      }));
      bind(removeFromTrash, async ({ params }) => {
        await trash.remove(params.entry);
        return { ok: true as const };
      });
    },
  };
};
