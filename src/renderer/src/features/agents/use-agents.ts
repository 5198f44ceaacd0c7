import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AgentListEntry, deleteAgent, duplicateAgent } from '../../../../shared/api/agents.ts';
import type { AgentCheckCounts, FindingCounts } from '../../../../shared/api/checks.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { setUpRoot } from '../../../../shared/api/root.ts';
import { call, callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { agentListQuery, checkCountsQuery, keys, linkCountsQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { deleteAgentWords, duplicateAgentWords } from '../../strings/agents.ts';

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

/** A new agent as typed. */
export interface TypedAgent {
  readonly name: string;
  readonly workspace: boolean;
  readonly preset?: string | undefined;
  /** The model to name in the agent's pi-args. */
  readonly model?: string | undefined;
}

/** The dialog's initial values for a new agent. */
export const EMPTY_AGENT: TypedAgent = { name: '', workspace: false };

/** Adds the root's missing parts, such as its setup script. Needs the operator token. */
export const useSetUpRoot = (onDone: () => void) =>
  useMutation({
    mutationFn: () => call(setUpRoot, { body: {} }),
    onSuccess: onDone,
    meta: { refresh: [...after.undo(), ...after.settings()] },
  });

/** Duplicates an agent. A large one takes a while. */
export const useDuplicateAgent = (id: string, onDuplicated: (name: string) => void) =>
  useChange({
    make: (name: string) => callForChange(duplicateAgent, { params: { id }, body: { name } }),
    said: (_, name) => duplicateAgentWords.duplicated(id, name),
    refresh: (name) => [...after.agents(name), ...after.links(name)],
    onRefreshed: (_, name) => onDuplicated(name),
  });

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

/** Removes deleted agents from the list without waiting for the next read. Returns the agent to open next, or null. */
export const dropAgents = (client: QueryClient, deleted: ReadonlySet<string>): string | null => {
  const { queryKey } = agentListQuery();
  const ids = client.getQueryData(queryKey)?.agents.map(({ id }) => id) ?? [];
  client.setQueryData(
    queryKey,
    (list) => list && { ...list, agents: list.agents.filter(({ id }) => !deleted.has(id)) },
  );
  return neighborOf(ids, deleted);
};

/** Drops deleted agents' cached data, which a later agent with the same id must not get. */
export const forgetAgents = (client: QueryClient, deleted: Iterable<string>): void => {
  for (const id of deleted) {
    client.removeQueries({ queryKey: keys.agent(id) });
    client.removeQueries({ queryKey: keys.linksOf(id) });
  }
};

/**
 * Deletes an agent, and offers Undo. Its drafts are kept until it's restored. `onDeleted` gets the agent to
 * open next, or null if none are left.
 */
export const useDeleteAgent = (id: string, onDeleted: (next: string | null) => void) => {
  const client = useQueryClient();
  return useChange({
    make: (confirm: string) => callForChange(deleteAgent, { params: { id }, body: { confirm } }),
    said: () => deleteAgentWords.deleted(id),
    onMade: () => {
      onDeleted(dropAgents(client, new Set([id])));
      forgetAgents(client, [id]);
    },
    refresh: after.agents(id),
  });
};
