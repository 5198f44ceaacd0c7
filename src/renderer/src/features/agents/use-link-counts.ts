import { useQuery } from '@tanstack/react-query';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { linkCountsQuery } from '../../api/queries.ts';

/** Link counts by agent id. Agents without links are absent. */
export type LinkCounts = ReadonlyMap<string, AgentLinkCounts>;

const NONE: LinkCounts = new Map();

const byId = (agents: readonly AgentLinkCounts[]): LinkCounts =>
  new Map(agents.map((agent) => [agent.id, agent]));

/** Reads the link counts of all agents. Empty until loaded, so the list doesn't wait for its badges. */
export const useLinkCounts = (): LinkCounts => useQuery({ ...linkCountsQuery(), select: byId }).data ?? NONE;
