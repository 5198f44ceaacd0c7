import { type BulkLinks, type LinkEntry, links } from '../../../shared/api/links.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { callForChange } from '../api/client.ts';
import { after } from '../api/invalidations.ts';
import { linkWords as words } from '../strings/links.ts';
import { matrix as matrixWords } from '../strings/matrix.ts';
import { type Made, useChange } from './changes.ts';

/** The actions on links. Each returns at once. Toasts report the result and offer Undo. */
export interface LinkActions {
  readonly link: (name: string) => void;
  readonly unlink: (entry: Pick<LinkEntry, 'name' | 'broken'>) => void;
  /** Points a broken link to the shared entry with its name. */
  readonly repair: (name: string) => void;
  /** The name of the link that is being created, repaired or removed. */
  readonly busy: string | null;
}

interface LinkAction {
  readonly does: 'link' | 'unlink' | 'remove' | 'repair';
  readonly name: string;
}

/** Changes an agent's links of one kind. */
export const useLinkActions = (id: string, kind: LinkKind): LinkActions => {
  const { mutate, isPending, variables } = useChange({
    make: ({ does, name }: LinkAction): Promise<Made<unknown>> => {
      if (does === 'unlink' || does === 'remove')
        return callForChange(links[kind].remove, { params: { id, name } });
      const body = does === 'repair' ? { name, replaceBroken: true } : { name };
      return callForChange(links[kind].create, { params: { id }, body });
    },
    said: (_, { does, name }) => words.done[does](name),
    failed: ({ does, name }) => words.failed[does](name),
    refresh: after.links(id),
  });
  return {
    link: (name) => mutate({ does: 'link', name }),
    repair: (name) => mutate({ does: 'repair', name }),
    unlink: ({ name, broken }) => mutate({ does: broken ? 'remove' : 'unlink', name }),
    busy: isPending ? variables.name : null,
  };
};

const countDone = (responses: BulkLinks['link']): number =>
  responses.reduce((sum, { done }) => sum + done.length, 0);

const failedOf = ({ link, unlink }: Pick<BulkLinks, 'link' | 'unlink'>) =>
  [...link, ...unlink].flatMap(({ failed }) => failed);

/** Returns the message about a bulk change of links, followed by `note`. Null if all of it failed. */
export const saidLinks = (response: Pick<BulkLinks, 'link' | 'unlink'>, note?: string): string | null => {
  const [linked, unlinked] = [countDone(response.link), countDone(response.unlink)];
  if (linked + unlinked === 0 && failedOf(response).length > 0) return null;
  const changed = matrixWords.changed(linked, unlinked);
  return note ? `${changed}. ${note}` : changed;
};

/** Returns how many links of a bulk change failed, and why the first one did. Null if none did. */
export const failedLinks = (response: Pick<BulkLinks, 'link' | 'unlink'>) => {
  const failed = failedOf(response);
  return failed[0] ? { title: matrixWords.failed(failed.length), error: failed[0].error } : null;
};
