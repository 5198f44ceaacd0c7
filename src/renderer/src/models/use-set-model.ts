import { useMutation, useQueryClient } from '@tanstack/react-query';
import { common } from '../strings/common.ts';
import { models as words } from '../strings/models.ts';
import { reportFailure, settleFailure } from '../ui/failures.ts';
import { notify } from '../ui/toast.tsx';
import { changeModel, refreshModels, undoModelChange } from './change-model.ts';

/** Sets an agent's model in its pi-args and offers Undo. */
export const useSetModel = (id: string) => {
  const client = useQueryClient();
  const failure = `model of ${id}`;
  return useMutation({
    mutationFn: (name: string) => changeModel(client, id, name),
    onSuccess: (change, name) => {
      settleFailure(failure);
      if (!change) return;
      refreshModels(client, [id], change.before.etag === null);
      const undo = async (): Promise<void> => {
        try {
          await undoModelChange(client, change);
          notify(words.undone(id));
        } catch (error) {
          reportFailure(failure, words.undoFailed(id), error);
        }
        refreshModels(client, [id]);
      };
      notify(words.set(id, name), { label: common.undo, run: () => void undo() });
    },
    onError: (error) => reportFailure(failure, words.setFailed(id), error),
  });
};
