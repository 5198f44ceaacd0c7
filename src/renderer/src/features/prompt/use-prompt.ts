import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { AgentPrompt } from '../../../../shared/api/prompt.ts';
import { promptQuery } from '../../api/agent-queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';

// Events don't report a new session, or a context file above the root.
const INTERVAL_MS = 10_000;

/** Predicts an agent's prompt in `cwd`, or in the agent's default working directory if it's null. */
export const usePrompt = (id: string, cwd: string | null): ReadStatus<AgentPrompt> =>
  readStatus(
    useQuery({
      ...promptQuery(id, cwd),
      placeholderData: keepPreviousData,
      refetchInterval: INTERVAL_MS,
    }),
  );
