import { useQuery } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { ApiError } from '../../api/client.ts';
import { summaryQuery } from '../../api/queries.ts';

/** One agent: there, not there, or not readable. Once read, it stays on the screen while the API is offline. */
export type AgentStatus =
  | { readonly status: 'loading' }
  | { readonly status: 'missing' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | { readonly status: 'ready'; readonly agent: AgentSummary };

/** Reads the summary of an agent. */
export const useAgent = (id: string): AgentStatus => {
  const { data, error, refetch } = useQuery(summaryQuery(id));
  if (data && (!error || error.code === 'offline')) return { status: 'ready', agent: data };
  if (!error) return { status: 'loading' };
  if (error.code === 'agent_not_found' || error.code === 'invalid_agent_id') return { status: 'missing' };
  return { status: 'error', error, retry: () => void refetch() };
};
