import { type Period, periodOf } from '../../shared/api/fields.ts';
import {
  getUsage,
  type LastRuns,
  listLastRuns,
  type Usage,
  type UsageGrouping,
} from '../../shared/api/usage.ts';
import type { Feature } from '../feature.ts';
import { operatorRequired } from '../platform/caller.ts';

/** Functions that add up session files in the sessions thread. */
interface UsageDeps {
  usage(grouping: UsageGrouping, period: Period, agent?: string): Promise<Usage>;
  lastRuns(): Promise<LastRuns>;
}

/** Creates the routes for agents' spending on models, and for their last runs. */
export const createUsage = ({ usage, lastRuns }: UsageDeps): Feature => ({
  routes(bind) {
    bind(getUsage, async ({ query }, caller) => {
      // SECURITY: an id names a session, and only the operator can list those.
      if (query.groupBy === 'session' && caller.kind !== 'operator') throw operatorRequired();
      const found = await usage(query.groupBy, periodOf(query), query.agent);
      // SECURITY: the paths of sessions say where a person works.
      return caller.kind === 'operator' ? found : { ...found, problems: [] };
    });
    bind(listLastRuns, () => lastRuns());
  },
});
