// Apart from its users, because each list of the sidebar has a reader of its own.
import { useQuery } from '@tanstack/react-query';
import type { AgentCheckCounts, FindingCounts } from '../../../../shared/api/checks.ts';
import { checkCountsQuery } from '../../api/queries.ts';

/** The number of findings by agent id. Agents without findings are absent. */
export type CheckCounts = ReadonlyMap<string, AgentCheckCounts>;

const NONE: CheckCounts = new Map();

const byId = ({ agents }: FindingCounts): CheckCounts => new Map(agents.map((agent) => [agent.id, agent]));

/** Reads the number of findings of all agents. Empty until loaded, so the list doesn't wait for its badges. */
export const useCheckCounts = (): CheckCounts =>
  useQuery({ ...checkCountsQuery(), select: byId }).data ?? NONE;
