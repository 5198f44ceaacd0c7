import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { removeFromTrash, restoreFromTrash, type TrashEntry } from '../../../../shared/api/trash.ts';
import { call } from '../../api/client.ts';
import { keys, trashQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { strings } from '../../strings.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';

/** The deleted agents. */
export type TrashStatus = Unread | { readonly status: 'ready'; readonly entries: readonly TrashEntry[] };

/** Reads the trash. */
export const useTrash = (): TrashStatus => {
  const read = readStatus(useQuery(trashQuery()));
  return read.status === 'ready' ? { status: 'ready', entries: read.data } : read;
};

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
    mutationFn: ({ entry }: TrashEntry) => call(restoreFromTrash, { params: { entry } }),
    onSuccess: ({ id }) =>
      notify(strings.deleteAgent.restored(id), { label: strings.trash.open, run: () => onOpen(id) }),
    onError: (error, { id }) => notifyFailure(strings.deleteAgent.restoreFailed(id), error),
    onSettled,
  });
  const removing = useMutation({
    mutationFn: ({ entry }: TrashEntry) => call(removeFromTrash, { params: { entry } }),
    onSuccess: (_, { id }) => notify(strings.trash.removed(id)),
    onError: (error) => notifyFailure(strings.errors.fallbackTitle, error),
    onSettled,
  });
  return {
    restore: restoring.mutate,
    remove: removing.mutate,
    /** The entry that is being restored or removed. */
    busy: restoring.isPending
      ? restoring.variables.entry
      : removing.isPending
        ? removing.variables.entry
        : null,
  };
};
