import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { type AgentListEntry, deleteAgent, duplicateAgent } from '../../../../shared/api/agents.ts';
import type { AgentCheckCounts, FindingCounts } from '../../../../shared/api/checks.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { setUpRoot } from '../../../../shared/api/root.ts';
import { restoreFromTrash } from '../../../../shared/api/trash.ts';
import { call } from '../../api/client.ts';
import { agentListQuery, checkCountsQuery, keys, linkCountsQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { deleteAgentWords, duplicateAgentWords } from '../../strings/agents.ts';
import { common } from '../../strings/common.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';

/** The number of findings by agent id. Agents without findings are absent. */
export type CheckCounts = ReadonlyMap<string, AgentCheckCounts>;

const NO_CHECKS: CheckCounts = new Map();

const checksById = ({ agents }: FindingCounts): CheckCounts =>
  new Map(agents.map((agent) => [agent.id, agent]));

/** Loads all agents' finding counts. Empty until loaded, so the list doesn't wait for its badges. */
export const useCheckCounts = (): CheckCounts =>
  useQuery({ ...checkCountsQuery(), select: checksById }).data ?? NO_CHECKS;

/** Link counts by agent id. Agents without links are absent. */
export type LinkCounts = ReadonlyMap<string, AgentLinkCounts>;

const NO_LINKS: LinkCounts = new Map();

const linksById = (agents: readonly AgentLinkCounts[]): LinkCounts =>
  new Map(agents.map((agent) => [agent.id, agent]));

/** Loads all agents' link counts. Empty until loaded, so the list doesn't wait for its badges. */
export const useLinkCounts = (): LinkCounts =>
  useQuery({ ...linkCountsQuery(), select: linksById }).data ?? NO_LINKS;

// The longest valid agent id, in characters.
const MAX_ID_LENGTH = 64;

/** Returns the first free id of `scout-copy`, `scout-copy-2`, … Shortens a long id to keep the copy's id valid. */
export const freeCopyId = (id: string, taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '-copy' : `-copy-${number}`;
    const copy = id.slice(0, MAX_ID_LENGTH - end.length) + end;
    if (!taken.has(copy)) return copy;
  }
};

/** The list of agents. It stays visible while the API is offline. */
type AgentsStatus = Unread | { readonly status: 'ready'; readonly agents: readonly AgentListEntry[] };

/** Reads the list of agents. */
export const useAgents = (): AgentsStatus => {
  const read = readStatus(useQuery(agentListQuery()));
  return read.status === 'ready' ? { status: 'ready', agents: read.data } : read;
};

/** The schema of a {@link TypedAgent}. */
export const typedAgent = z.object({
  name: z.string(),
  workspace: z.boolean(),
  preset: z.string().optional(),
  /** The model to name in the agent's pi-args. */
  model: z.string().optional(),
});

/** A new agent as typed. */
export type TypedAgent = Readonly<z.infer<typeof typedAgent>>;

/** The dialog's initial values for a new agent. */
export const EMPTY_AGENT: TypedAgent = { name: '', workspace: false };

/** Adds the root's missing parts, such as its setup script. Needs the operator token. */
export const useSetUpRoot = (onDone: () => void) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(setUpRoot, { body: {} }),
    onSuccess: () => {
      for (const queryKey of [keys.agentList, keys.rootTrust]) void client.invalidateQueries({ queryKey });
      onDone();
    },
  });
};

/** Duplicates an agent. A large one takes a while. */
export const useDuplicateAgent = (id: string, onDuplicated: (name: string) => void) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => call(duplicateAgent, { params: { id }, body: { name } }),
    onSuccess: async (_, name) => {
      await client.invalidateQueries({ queryKey: keys.agentList });
      void client.invalidateQueries({ queryKey: keys.linkCounts });
      notify(duplicateAgentWords.duplicated(id, name));
      onDuplicated(name);
    },
  });
};

/** Returns a function that suggests a free id for a copy. */
export const useFreeId = (): ((id: string) => string) => {
  const client = useQueryClient();
  return (id) => {
    const agents = client.getQueryData(agentListQuery().queryKey)?.agents ?? [];
    return freeCopyId(id, new Set(agents.map((agent) => agent.id)));
  };
};

/**
 * Returns the agent to open after some are deleted: the next one in the list, or else the previous one. Null if none
 * are left.
 */
export const neighborOf = (ids: readonly string[], deleted: ReadonlySet<string>): string | null => {
  const first = ids.findIndex((id) => deleted.has(id));
  if (first < 0) return null;
  const isLeft = (id: string): boolean => !deleted.has(id);
  return ids.slice(first).find(isLeft) ?? ids.slice(0, first).findLast(isLeft) ?? null;
};

/**
 * Deletes an agent, and offers Undo. Its drafts are kept until it's restored. `onDeleted` gets the agent to
 * open next, or null if none are left.
 */
export const useDeleteAgent = (id: string, onDeleted: (next: string | null) => void) => {
  const client = useQueryClient();
  const refresh = async (): Promise<void> => {
    await Promise.all([
      client.invalidateQueries({ queryKey: keys.agentList }),
      client.invalidateQueries({ queryKey: keys.trash }),
      client.invalidateQueries({ queryKey: keys.agent(id) }),
    ]);
  };
  return useMutation({
    mutationFn: (confirm: string) => call(deleteAgent, { params: { id }, body: { confirm } }),
    onSuccess: ({ entry }) => {
      const ids = client.getQueryData(agentListQuery().queryKey)?.agents.map((agent) => agent.id) ?? [];
      // Remove it from the list now, without waiting for the next read.
      client.setQueryData(
        agentListQuery().queryKey,
        (list) => list && { ...list, agents: list.agents.filter((agent) => agent.id !== id) },
      );
      onDeleted(neighborOf(ids, new Set([id])));
      // A later agent with the same id must not get this one's cached data.
      client.removeQueries({ queryKey: keys.agent(id) });
      client.removeQueries({ queryKey: keys.linksOf(id) });
      void refresh();
      const restore = async (): Promise<void> => {
        try {
          await call(restoreFromTrash, { params: { entry }, query: {} });
          settleFailure(entry);
          await refresh();
          notify(deleteAgentWords.restored(id));
        } catch (error) {
          reportFailure(entry, deleteAgentWords.restoreFailed(id), error);
        }
      };
      notify(deleteAgentWords.deleted(id), { label: common.undo, run: () => void restore() });
    },
  });
};
