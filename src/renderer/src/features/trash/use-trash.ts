import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { nextFreeId } from '../../../../shared/api/names.ts';
import { removeFromTrash, restoreFromTrash, type TrashEntry } from '../../../../shared/api/trash.ts';
import { call } from '../../api/client.ts';
import { agentListQuery, keys, trashQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { trash as trashTexts } from '../../strings/trash.ts';
import { strings } from '../../strings.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';

/** The deleted agents. */
export type TrashStatus = Unread | { readonly status: 'ready'; readonly entries: readonly TrashEntry[] };

/** Reads the trash. */
export const useTrash = (): TrashStatus => {
  const read = readStatus(useQuery(trashQuery()));
  return read.status === 'ready' ? { status: 'ready', entries: read.data } : read;
};

/** A deleted agent to restore, under another name if its own is taken. */
interface Restoring {
  readonly entry: string;
  readonly id: string;
  readonly name?: string;
}

/** Restores and removes deleted agents. Toasts report the result. `onOpen` opens a restored agent. */
export const useTrashActions = (onOpen: (id: string) => void) => {
  const client = useQueryClient();
  const onSettled = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.trash }),
      client.invalidateQueries({ queryKey: keys.agentList }),
    ]);
  };
  const restoring = useMutation({
    mutationFn: ({ entry, name }: Restoring) =>
      call(restoreFromTrash, { params: { entry }, query: { name } }),
    onSuccess: ({ id }, { entry }) => {
      settleFailure(entry);
      notify(strings.deleteAgent.restored(id), { label: trashTexts.open, run: () => onOpen(id) });
    },
    onError: (error, { entry, id }) => {
      const agents = client.getQueryData(agentListQuery().queryKey)?.agents ?? [];
      const name = nextFreeId(id, new Set([id, ...agents.map((agent) => agent.id)]));
      const another = {
        label: trashTexts.restoreAs(name),
        run: () => restoring.mutate({ entry, id, name }),
      };
      reportFailure(
        entry,
        strings.deleteAgent.restoreFailed(id),
        error,
        error.code === 'agent_exists' ? another : undefined,
      );
    },
    onSettled,
  });
  const removing = useMutation({
    mutationFn: ({ entry }: TrashEntry) => call(removeFromTrash, { params: { entry } }),
    onSuccess: (_, { entry, id }) => {
      settleFailure(entry);
      notify(trashTexts.removed(id));
    },
    onError: (error) => notifyFailure(strings.errors.fallbackTitle, error),
    onSettled,
  });
  return {
    restore: ({ entry, id }: TrashEntry) => restoring.mutate({ entry, id }),
    remove: removing.mutate,
    /** The entry that is being restored or removed. */
    busy: restoring.isPending
      ? restoring.variables.entry
      : removing.isPending
        ? removing.variables.entry
        : null,
  };
};
