import { useQueryClient } from '@tanstack/react-query';
import { type BulkLinks, undoLinks } from '../../../shared/api/links-bulk.ts';
import { call } from '../api/client.ts';
import { keys } from '../api/queries.ts';
import { matrix as words } from '../strings/matrix.ts';
import { strings } from '../strings.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';

const countDone = (answers: BulkLinks['link']): number =>
  answers.reduce((sum, { done }) => sum + done.length, 0);

/** Reports a bulk change of links, `note` after it, and offers to undo all of it in one step. */
export const useReportLinks = () => {
  const client = useQueryClient();
  const refresh = () =>
    Promise.all(
      [keys.allMatrices, keys.allLinks, keys.linkCounts, keys.allUsage].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const undo = async (id: string): Promise<void> => {
    try {
      const { undone, failed } = await call(undoLinks, { params: { undo: id } });
      if (undone > 0) notify(words.undone(undone));
      if (failed[0]) notifyFailure(words.undoFailed, failed[0].error);
    } catch (error) {
      notifyFailure(words.undoFailed, error);
    }
    await refresh();
  };
  return async ({ link, unlink, undo: id }: BulkLinks, note?: string): Promise<void> => {
    const failed = [...link, ...unlink].flatMap((answer) => answer.failed);
    const changed = words.changed(countDone(link), countDone(unlink));
    const said = note ? `${changed}. ${note}` : changed;
    if (id !== null) notify(said, { label: strings.common.undo, run: () => void undo(id) });
    else if (failed.length === 0) notify(said);
    if (failed[0]) notifyFailure(words.failed(failed.length), failed[0].error);
    await refresh();
  };
};
