import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changePiSettings, type PiSettingChange } from '../../../../shared/api/pi-settings.ts';
import { callForChange } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { common } from '../../strings/common.ts';
import { piSettings as words } from '../../strings/pi-settings.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';
import { undoItem } from '../../undo-change.ts';

/** Changes one of an agent's pi settings if its file still has `etag`, and offers Undo. */
export const useChangeSetting = (id: string, etag: string | null) => {
  const client = useQueryClient();
  const refresh = () =>
    Promise.all(
      [keys.entries(id), keys.prompts(id)].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  const failureOf = (name: string) => `setting ${name} of ${id}`;
  return useMutation({
    mutationFn: (change: PiSettingChange) =>
      callForChange(changePiSettings, {
        params: { id },
        headers: etag === null ? { 'if-none-match': '*' } : { 'if-match': etag },
        body: { changes: [change] },
      }),
    async onSuccess({ change }, { path }) {
      const name = path.join('.');
      settleFailure(failureOf(name));
      const undo = async (id: string): Promise<void> => {
        try {
          await undoItem(id);
          notify(words.undone);
        } catch (error) {
          reportFailure(failureOf(name), words.undoFailed, error);
        }
        await refresh();
      };
      notify(
        words.saved(name),
        change === null ? undefined : { label: common.undo, run: () => void undo(change) },
      );
      await refresh();
    },
    onError(error, { path }) {
      const name = path.join('.');
      reportFailure(failureOf(name), words.failed(name), error);
      // Another program may have changed the file.
      void refresh();
    },
  });
};
