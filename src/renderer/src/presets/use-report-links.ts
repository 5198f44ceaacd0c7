import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type BulkLinks, undoLinks } from '../../../shared/api/links-bulk.ts';
import { call } from '../api/client.ts';
import { healthQuery, keys } from '../api/queries.ts';
import { matrix as words } from '../strings/matrix.ts';
import { strings } from '../strings.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';
import { forgetLastLinks, keepLastLinks, type LinkChange, useLastLinks } from './last-links.ts';

const countDone = (answers: BulkLinks['link']): number =>
  answers.reduce((sum, { done }) => sum + done.length, 0);

const useRefreshLinks = () => {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [keys.allMatrices, keys.allLinks, keys.linkCounts, keys.allUsage].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
};

/** Undoes a bulk change of links, and says what it can't restore. */
const useUndoLinks = () => {
  const refresh = useRefreshLinks();
  return useMutation({
    mutationFn: (undo: string) => call(undoLinks, { params: { undo } }),
    onSuccess: ({ undone, failed }, undo) => {
      if (undone > 0) notify(words.undone(undone));
      if (failed[0]) notifyFailure(words.undoFailed, failed[0].error);
      else forgetLastLinks(undo);
    },
    onError: (error, undo) => {
      if (error.code === 'nothing_to_undo') forgetLastLinks(undo);
      notifyFailure(words.undoFailed, error);
    },
    onSettled: refresh,
  });
};

/** The last bulk change of links and its undo. `change` is null if there is none. */
export const useLastChange = (): {
  readonly change: LinkChange | null;
  readonly undo: () => void;
  readonly isPending: boolean;
} => {
  const change = useLastLinks(useQuery(healthQuery()).data?.rootId);
  const { mutate, isPending } = useUndoLinks();
  return { change, undo: () => change && mutate(change.undo), isPending };
};

/** Reports a bulk change of links, `note` after it, and offers to undo all of it in one step. */
export const useReportLinks = () => {
  const client = useQueryClient();
  const refresh = useRefreshLinks();
  const { mutate: undo } = useUndoLinks();
  return async ({ link, unlink, undo: id }: BulkLinks, note?: string): Promise<void> => {
    const failed = [...link, ...unlink].flatMap((answer) => answer.failed);
    const changed = words.changed(countDone(link), countDone(unlink));
    const said = note ? `${changed}. ${note}` : changed;
    if (id !== null) {
      const root = client.getQueryData(healthQuery().queryKey)?.rootId;
      if (root !== undefined) keepLastLinks({ root, undo: id, said: changed, at: new Date().toISOString() });
      notify(said, { label: strings.common.undo, run: () => undo(id) });
    } else if (failed.length === 0) notify(said);
    if (failed[0]) notifyFailure(words.failed(failed.length), failed[0].error);
    await refresh();
  };
};
