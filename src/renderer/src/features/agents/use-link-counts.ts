import { useQuery } from '@tanstack/react-query';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { linkCountsQuery } from '../../api/queries.ts';

/** The links of agents, by their id. Who has none is not in it. */
export type LinkCounts = ReadonlyMap<string, AgentLinkCounts>;

const NONE: LinkCounts = new Map();

const byId = (agents: readonly AgentLinkCounts[]): LinkCounts =>
  new Map(agents.map((agent) => [agent.id, agent]));

/** Reads the links of all agents; empty until they are there. The list does not wait for its badges. */
export const useLinkCounts = (): LinkCounts => useQuery({ ...linkCountsQuery(), select: byId }).data ?? NONE;
