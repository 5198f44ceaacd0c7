import { useQuery } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { summaryQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';

/** One agent: there, not there, or not readable. Once read, it stays on the screen while the API is offline. */
export type AgentStatus =
  | Unread
  | { readonly status: 'missing' }
  | { readonly status: 'ready'; readonly agent: AgentSummary };

/** Reads the summary of an agent. */
export const useAgent = (id: string): AgentStatus => {
  const read = readStatus(useQuery(summaryQuery(id)));
  if (read.status === 'ready') return { status: 'ready', agent: read.data };
  const code = read.status === 'error' && read.error.code;
  return code === 'agent_not_found' || code === 'invalid_agent_id' ? { status: 'missing' } : read;
};
