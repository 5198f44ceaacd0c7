// Between the list of agents, which leads to the matrix, and the matrix.
import { useMemo } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { z } from 'zod';

const stateSchema = z.object({ matrixAgents: z.array(z.string()).min(1) });

/**
 * The state of a history entry that shows only these agents in the matrix. Thousands of ids don't fit into an address.
 */
export const toMatrixState = (ids: Iterable<string>): z.infer<typeof stateSchema> => ({
  matrixAgents: [...ids],
});

/** The agents that the matrix shows in this history entry. Undefined for all. */
export const useMatrixAgents = (): ReadonlySet<string> | undefined => {
  const state: unknown = useHistoryState();
  return useMemo(() => {
    const { data } = stateSchema.safeParse(state);
    return data && new Set(data.matrixAgents);
  }, [state]);
};
