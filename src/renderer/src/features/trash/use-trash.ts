import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { nextFreeId } from '../../../../shared/api/names.ts';
import {
  removeFromTrash,
  restoreFromTrash,
  TRASH_DAYS,
  type TrashEntry,
} from '../../../../shared/api/trash.ts';
import { call, callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { agentListQuery, trashQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { rememberChange } from '../../changes/changes.ts';
import { deleteAgentWords } from '../../strings/agents.ts';
import { errors } from '../../strings/common.ts';
import { trash as words } from '../../strings/trash.ts';
import { dismissFailure, reportFailure } from '../../ui/failures.tsx';
import { notify } from '../../ui/toast.tsx';

/** The deleted agents, sessions and presets. */
type TrashStatus = Unread | { readonly status: 'ready'; readonly entries: readonly TrashEntry[] };

/** Reads the trash. */
export const useTrash = (): TrashStatus => {
  const read = readStatus(useQuery(trashQuery()));
  return read.status === 'ready' ? { status: 'ready', entries: read.data } : read;
};

/** Returns what was deleted: an agent's id, or the name of a session or preset. */
export const trashedName = ({ id, session, preset }: TrashEntry): string => {
  if (session) return words.session(session.id, session.name);
  return preset === undefined ? id : words.preset(preset);
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the days until a deleted agent is removed, rounded up. 0 when it's due. */
export const daysLeft = (deletedAt: string, nowMs: number): number =>
  Math.max(0, Math.ceil((Date.parse(deletedAt) + TRASH_DAYS * DAY_MS - nowMs) / DAY_MS));

/** An item to restore. An agent gets another name if its own is taken. */
interface Restoring {
  readonly deleted: TrashEntry;
  readonly name?: string;
}

/**
 * Restores and removes deleted items. Toasts report the result. `onOpen` opens an item. `id` is the agent's current
 * id.
 */
export const useTrashActions = (onOpen: (id: string, deleted: TrashEntry) => void) => {
  const client = useQueryClient();
  const meta = { refresh: after.undo() };
  const restoring = useMutation({
    mutationFn: ({ deleted: { entry }, name }: Restoring) =>
      callForChange(restoreFromTrash, { params: { entry }, query: { name } }),
    onSuccess: ({ body: { id }, change }, { deleted }) => {
      dismissFailure(deleted.entry);
      const isAgent = !deleted.session && deleted.preset === undefined;
      const said = deleteAgentWords.restored(isAgent ? id : trashedName(deleted));
      rememberChange(said, change);
      notify(said, { label: words.open, run: () => onOpen(id, deleted) });
    },
    onError: (error, { deleted }) => {
      const { entry, id } = deleted;
      const agents = client.getQueryData(agentListQuery().queryKey)?.agents ?? [];
      const name = nextFreeId(id, new Set([id, ...agents.map((agent) => agent.id)]));
      const another = {
        label: words.restoreAs(name),
        run: () => restoring.mutate({ deleted, name }),
      };
      reportFailure(deleteAgentWords.restoreFailed(trashedName(deleted)), error, {
        about: entry,
        action: error.code === 'agent_exists' ? another : undefined,
      });
    },
    meta,
  });
  const removing = useMutation({
    mutationFn: ({ entry }: TrashEntry) => call(removeFromTrash, { params: { entry } }),
    onSuccess: (_, removed) => {
      dismissFailure(removed.entry);
      notify(words.removed(trashedName(removed)));
    },
    onError: (error) => reportFailure(errors.fallbackTitle, error),
    meta,
  });
  return {
    restore: (deleted: TrashEntry) => restoring.mutate({ deleted }),
    remove: removing.mutate,
    /** The item that is being restored or removed. */
    busy: restoring.isPending
      ? restoring.variables.deleted.entry
      : removing.isPending
        ? removing.variables.entry
        : null,
  };
};
