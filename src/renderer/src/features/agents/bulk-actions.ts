import { useQueryClient } from '@tanstack/react-query';
import type { ErrorCode } from '../../../../shared/api/errors.ts';
import { changeLinks } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { keys } from '../../api/queries.ts';
import { makeChangeSet } from '../../changes/change-sets.ts';
import { useChange } from '../../changes/changes.ts';
import { failedLinks, saidLinks } from '../../changes/link-changes.ts';
import { bulk as words } from '../../strings/bulk.ts';
import { dropAgents, forgetAgents } from './use-agents.ts';

/** Deletes several agents in one change. Its undo restores all of them, with their drafts. */
export const useDeleteAgents = (onDeleted: (next: string | null) => void) => {
  const client = useQueryClient();
  return useChange({
    make: async (ids: readonly string[]) => {
      const { body, change } = await makeChangeSet(
        words.deleteAll(ids.length),
        ids.map((agent) => ({ agent, delete: true })),
      );
      const gone = new Set(ids.filter((_, index) => !body.refused.has(index)));
      return { body: { gone, refused: [...body.refused.values()] }, change };
    },
    said: ({ gone }) => (gone.size > 0 ? words.deleted(gone.size) : null),
    failed: (ids) => words.deleteFailed(ids.length),
    problem: ({ refused }) =>
      refused[0] ? { title: words.deleteFailed(refused.length), error: refused[0].error } : null,
    onMade: ({ gone }) => {
      onDeleted(dropAgents(client, gone));
      forgetAgents(client, gone);
    },
    refresh: (ids) => [...after.agents(...ids), keys.linkCounts],
  });
};

/** Shared entries to link into agents. */
interface WantedLinks {
  readonly ids: readonly string[];
  readonly kind: LinkKind;
  readonly names: readonly string[];
}

const isTaken = ({ code }: { readonly code: ErrorCode }): boolean => code === 'link_exists';

/** Links shared entries into several agents in one request, with one Undo for all of them. */
export const useLinkAgents = (onLinked: () => void) =>
  useChange({
    make: async ({ ids, kind, names }: WantedLinks) => {
      const asked = ids.map((agent) => ({ agent, kind, names: [...names] }));
      const { body, change } = await callForChange(changeLinks, { body: { link: asked, unlink: [] } });
      const taken = body.link.reduce(
        (sum, { unchanged, failed }) => sum + unchanged.length + failed.filter(isTaken).length,
        0,
      );
      // An entry that an agent already has isn't a failure.
      const link = body.link.map((one) => ({
        ...one,
        failed: one.failed.filter((failure) => !isTaken(failure)),
      }));
      return { body: { ...body, link, taken }, change };
    },
    said: (response) => saidLinks(response, response.taken > 0 ? words.taken(response.taken) : undefined),
    failed: () => words.linkFailed,
    problem: failedLinks,
    onMade: onLinked,
    refresh: ({ ids }) => after.links(...ids),
  });
