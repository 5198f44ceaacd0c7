import { queryOptions } from '@tanstack/react-query';
import { getCost } from '../../../shared/api/cost.ts';
import { listEntries } from '../../../shared/api/entries.ts';
import { type JsonFile, readJsonFile } from '../../../shared/api/json-files.ts';
import { getMcp, listMcp } from '../../../shared/api/mcp.ts';
import { getPackages } from '../../../shared/api/packages.ts';
import { getPiModels } from '../../../shared/api/pi-models.ts';
import { getPiSettings } from '../../../shared/api/pi-settings.ts';
import { getPrompt } from '../../../shared/api/prompt.ts';
import { getReadiness } from '../../../shared/api/readiness.ts';
import { searchPrompts } from '../../../shared/api/search.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

// Apart from the other queries, because the first view doesn't need their schemas.

/** What a call with an agent's prompt costs. */
export const costQuery = (id: string) =>
  queryOptions({
    queryKey: keys.cost(id),
    queryFn: ({ signal }) => call(getCost, { params: { id }, query: {} }, signal),
  });

/** Everything in an agent's directory. */
export const entriesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.entries(id),
    queryFn: ({ signal }) => call(listEntries, { params: { id } }, signal),
  });

/** The text of a JSON file of an agent, without what may be a secret. */
export const jsonFileQuery = (id: string, path: JsonFile['path']) =>
  queryOptions({
    queryKey: keys.jsonFile(id, path),
    queryFn: ({ signal }) => call(readJsonFile, { params: { id }, query: { path } }, signal),
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

/** The providers and models that an agent adds to those of pi. */
export const piModelsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.piModels(id),
    queryFn: ({ signal }) => call(getPiModels, { params: { id } }, signal),
  });

/** The pi packages of an agent. What pi installs in a terminal shows when the window gets the focus. */
export const packagesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.packages(id),
    queryFn: ({ signal }) => call(getPackages, { params: { id } }, signal),
    staleTime: 0,
  });

/** What pi reads from an agent's settings.json. */
export const piSettingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.piSettings(id),
    queryFn: ({ signal }) => call(getPiSettings, { params: { id } }, signal),
  });

/** The files whose text contains `text`. Read again whenever it is searched for again. */
export const promptSearchQuery = (text: string, limit: number) =>
  queryOptions({
    queryKey: keys.promptSearch(text, limit),
    queryFn: ({ signal }) => call(searchPrompts, { query: { q: text, limit } }, signal),
    staleTime: 0,
    gcTime: 60_000,
  });
