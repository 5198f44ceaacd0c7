import { useQuery } from '@tanstack/react-query';
import { STATUS_EXTENSION } from '../../../../shared/api/catalog.ts';
import { usageQuery } from '../../api/catalog-queries.ts';
import { agentIdsQuery, statusQuery } from '../../api/queries.ts';
import { status as words } from '../../strings/status.ts';
import { Button } from '../../ui/button.tsx';
import { useAddStatus } from './use-add-status.ts';

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
