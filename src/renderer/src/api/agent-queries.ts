import { queryOptions } from '@tanstack/react-query';
import { listEntries } from '../../../shared/api/entries.ts';
import { getMcp, listMcp } from '../../../shared/api/mcp.ts';
import { getPiSettings } from '../../../shared/api/pi-settings.ts';
import { getPrompt } from '../../../shared/api/prompt.ts';
import { getReadiness } from '../../../shared/api/readiness.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

// Apart from the other queries, because the first view doesn't need their schemas.

/** Everything in an agent's directory. */
export const entriesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.entries(id),
    queryFn: ({ signal }) => call(listEntries, { params: { id } }, signal),
  });

/** The MCP servers of an agent. */
export const mcpQuery = (id: string) =>
  queryOptions({
    queryKey: keys.mcp(id),
    queryFn: ({ signal }) => call(getMcp, { params: { id } }, signal),
  });

/** The MCP servers of all agents. */
export const mcpOverviewQuery = () =>
  queryOptions({
    queryKey: keys.matrix('mcp'),
    queryFn: ({ signal }) => call(listMcp, {}, signal),
  });

/** The predicted prompt of an agent. Without `cwd`, in its default working directory. */
export const promptQuery = (id: string, cwd: string | null) =>
  queryOptions({
    queryKey: keys.prompt(id, cwd),
    queryFn: ({ signal }) => call(getPrompt, { params: { id }, query: cwd === null ? {} : { cwd } }, signal),
  });

/** Agents are often passed by on the way to another, and each check runs pi. */
const REST_MS = 300;

/** Whether an agent is ready to run. Asked only when the agent has been shown for a moment. */
export const readinessQuery = (id: string) =>
  queryOptions({
    queryKey: keys.readiness(id),
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      return call(getReadiness, { params: { id } }, signal);
    },
  });

/** What pi reads from an agent's settings.json. */
export const piSettingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.piSettings(id),
    queryFn: ({ signal }) => call(getPiSettings, { params: { id } }, signal),
  });
