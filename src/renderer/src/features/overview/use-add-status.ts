import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { installStatusExtension, STATUS_EXTENSION } from '../../../../shared/api/catalog.ts';
import { changeLinks } from '../../../../shared/api/links.ts';
import { call } from '../../api/client.ts';
import { healthQuery, keys } from '../../api/queries.ts';
import { useReportLinks } from '../../link-changes.ts';
import { status as words } from '../../strings/status.ts';
import { notifyFailure } from '../../ui/toast.tsx';

/** Adds the status extension to the root and links it into all agents, with one Undo for the links. */
export const useAddStatus = () => {
  const client = useQueryClient();
  const report = useReportLinks();
  const asksForToken = useQuery(healthQuery()).data?.asksForToken === true;
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const { created } = await call(installStatusExtension, {});
      if (created) void client.invalidateQueries({ queryKey: keys.catalog('extensions') });
      const link = ids.map((agent) => ({ agent, kind: 'extensions' as const, names: [STATUS_EXTENSION] }));
      return call(changeLinks, { body: { link, unlink: [] } });
    },
    onSuccess: (response) => report(response, asksForToken ? words.needsKeys : words.nextRun),
    onError: (error) => notifyFailure(words.addFailed, error),
  });
};
