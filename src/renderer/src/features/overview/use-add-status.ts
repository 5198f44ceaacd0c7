import { useQuery } from '@tanstack/react-query';
import { installStatusExtension, STATUS_EXTENSION } from '../../../../shared/api/catalog.ts';
import { changeLinks } from '../../../../shared/api/links.ts';
import { call, callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { healthQuery } from '../../api/queries.ts';
import { useChange } from '../../changes/changes.ts';
import { failedLinks, saidLinks } from '../../changes/link-changes.ts';
import { status as words } from '../../strings/status.ts';

/** Adds the status extension to the root and links it into all agents, with one Undo for the links. */
export const useAddStatus = () => {
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
