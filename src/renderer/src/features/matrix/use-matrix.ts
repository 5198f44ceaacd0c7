import { useQuery } from '@tanstack/react-query';
import { changeLinks, type LinkMatrix } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { matrixQuery } from '../../api/catalog-queries.ts';
import { callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { failedLinks, saidLinks } from '../../changes/link-changes.ts';
import { matrix as words } from '../../strings/matrix.ts';
import type { CellChanges } from './cell-changes.ts';

/** Loads all agents and all shared entries of a kind. */
export const useMatrix = (kind: LinkKind): ReadStatus<LinkMatrix> => readStatus(useQuery(matrixQuery(kind)));

/** Changes many links in one request, with one Undo for all of them. */
export const useChangeCells = (kind: LinkKind) =>
  useChange({
    make: ({ link, unlink }: CellChanges) => {
      const groups = (cells: CellChanges['link']) =>
        Array.from(cells, ([agent, names]) => ({ agent, kind, names: [...names] }));
      const body = { link: groups(link), unlink: groups(unlink), replaceBroken: true };
      return callForChange(changeLinks, { body });
    },
    said: (response) => saidLinks(response),
    failed: () => words.changeFailed,
    problem: failedLinks,
    refresh: ({ link, unlink }) => after.links(...link.keys(), ...unlink.keys()),
  });
