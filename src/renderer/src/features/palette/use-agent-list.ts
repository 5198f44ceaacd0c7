import { useQuery } from '@tanstack/react-query';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { agentListQuery } from '../../api/queries.ts';

const NONE: readonly AgentListEntry[] = [];

/** The agents as they were last read; none while they never were. */
export const useAgentList = (): {
  readonly agents: readonly AgentListEntry[];
  readonly isLoading: boolean;
} => {
  const { data, isPending } = useQuery(agentListQuery());
  return { agents: data ?? NONE, isLoading: isPending };
};
