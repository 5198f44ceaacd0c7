import { useQuery } from '@tanstack/react-query';
import { installStatusExtension, STATUS_EXTENSION } from '../../../../shared/api/catalog.ts';
import { changeLinks } from '../../../../shared/api/links.ts';
import { usageQuery } from '../../api/catalog-queries.ts';
import { call, callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { agentIdsQuery, healthQuery, statusQuery } from '../../api/queries.ts';
import { useChange } from '../../changes/changes.ts';
import { failedLinks, saidLinks } from '../../changes/link-changes.ts';
import { status as words } from '../../strings/status.ts';
import { Button } from '../../ui/button.tsx';

/** Adds the status extension to the root and links it into all agents, with one Undo for the links. */
const useAddStatus = () => {
  const asksForToken = useQuery(healthQuery()).data?.asksForToken === true;
  return useChange({
    make: async (ids: readonly string[]) => {
      await call(installStatusExtension, {});
      const link = ids.map((agent) => ({ agent, kind: 'extensions' as const, names: [STATUS_EXTENSION] }));
      return callForChange(changeLinks, { body: { link, unlink: [] } });
    },
    said: (response) => saidLinks(response, asksForToken ? words.needsKeys : words.nextRun),
    failed: () => words.addFailed,
    problem: failedLinks,
    refresh: after.catalog('extensions'),
  });
};

/** Offers to show which agents are running, as long as no agent reports its status. */
export const AddStatus = () => {
  const { data: statuses } = useQuery(statusQuery());
  const isUnused = statuses?.size === 0;
  // Once an agent reports its status, there's no need to load all agents' links.
  const usage = useQuery({ ...usageQuery('extensions'), enabled: isUnused }).data;
  const ids = useQuery(agentIdsQuery()).data ?? [];
  const { mutate, isPending } = useAddStatus();
  const isOffered = isUnused && usage?.every(({ name }) => name !== STATUS_EXTENSION) && ids.length > 0;
  if (!isOffered) return null;
  return (
    <Button size="small" disabled={isPending} onClick={() => mutate(ids)}>
      {isPending ? words.adding : words.addToAll}
    </Button>
  );
};
