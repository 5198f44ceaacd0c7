import { useMutation, useQuery } from '@tanstack/react-query';
import { changeLinks, type LinkMatrix } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { matrixQuery } from '../../api/catalog-queries.ts';
import { call } from '../../api/client.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { useReportLinks } from '../../link-changes.ts';
import { matrix as words } from '../../strings/matrix.ts';
import { notifyFailure } from '../../ui/toast.tsx';
import type { CellChanges } from './cell-changes.ts';

/** Loads all agents and all shared entries of a kind. */
export const useMatrix = (kind: LinkKind): ReadStatus<LinkMatrix> => readStatus(useQuery(matrixQuery(kind)));

/** Changes many links in one request, with one Undo for all of them. */
export const useChangeCells = (kind: LinkKind) => {
  const report = useReportLinks();
  return useMutation({
    mutationFn: ({ link, unlink }: CellChanges) => {
      const groups = (cells: CellChanges['link']) =>
        Array.from(cells, ([agent, names]) => ({ agent, kind, names: [...names] }));
      return call(changeLinks, { body: { link: groups(link), unlink: groups(unlink), replaceBroken: true } });
    },
    onSuccess: (response) => report(response),
    onError: (error) => notifyFailure(words.changeFailed, error),
  });
};
