import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type BulkLinks, changeLinks, undoLinks } from '../../../../shared/api/links-bulk.ts';
import type { LinkMatrix } from '../../../../shared/api/links-matrix.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { call } from '../../api/client.ts';
import { keys, matrixQuery } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { strings } from '../../strings.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import type { CellChanges } from './cell-changes.ts';

/** All agents and all shared entries of a kind. */
export const useMatrix = (kind: LinkKind): ReadStatus<LinkMatrix> => readStatus(useQuery(matrixQuery(kind)));

const countDone = (answers: BulkLinks['link']): number =>
  answers.reduce((sum, { done }) => sum + done.length, 0);

/** Changes many links in one request, and offers to undo all of them in one step. */
export const useChangeCells = (kind: LinkKind) => {
  const client = useQueryClient();
  const refresh = () =>
    Promise.all(
      [keys.matrix(kind), keys.allLinks, keys.linkCounts, keys.allUsage].map((queryKey) =>
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
  return useMutation({
    mutationFn: ({ link, unlink }: CellChanges) => {
      const groups = (cells: CellChanges['link']) =>
        Array.from(cells, ([agent, names]) => ({ agent, kind, names: [...names] }));
      return call(changeLinks, { body: { link: groups(link), unlink: groups(unlink), replaceBroken: true } });
    },
    onSuccess: async ({ link, unlink, undo: id }) => {
      const failed = [...link, ...unlink].flatMap((answer) => answer.failed);
      const said = words.changed(countDone(link), countDone(unlink));
      if (id !== null) notify(said, { label: strings.common.undo, run: () => void undo(id) });
      else if (failed.length === 0) notify(said);
      if (failed[0]) notifyFailure(words.failed(failed.length), failed[0].error);
      await refresh();
    },
    onError: (error) => notifyFailure(words.changeFailed, error),
  });
};
