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

/** Queries the estimated cost of a model call with an agent's prompt. */
export const costQuery = (id: string) =>
  queryOptions({
    queryKey: keys.cost(id),
    queryFn: ({ signal }) => call(getCost, { params: { id }, query: {} }, signal),
  });

/** Queries all entries in an agent's directory. */
export const entriesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.entries(id),
    queryFn: ({ signal }) => call(listEntries, { params: { id } }, signal),
  });

/** Queries the text of an agent's JSON file, with possible secrets hidden. */
export const jsonFileQuery = (id: string, file: JsonFile['file']) =>
  queryOptions({
    queryKey: keys.jsonFile(id, file),
    queryFn: ({ signal }) => call(readJsonFile, { params: { id, file }, query: {} }, signal),
  });

/** Queries an agent's MCP servers. */
export const mcpQuery = (id: string) =>
  queryOptions({
    queryKey: keys.mcp(id),
    queryFn: ({ signal }) => call(getMcp, { params: { id } }, signal),
  });

/** Queries all agents' MCP servers. */
export const mcpOverviewQuery = () =>
  queryOptions({
    queryKey: keys.matrix('mcp'),
    queryFn: ({ signal }) => call(listMcp, {}, signal),
  });

/** Queries an agent's predicted prompt when run in `cwd`, or in its default working directory if that's null. */
export const promptQuery = (id: string, cwd: string | null) =>
  queryOptions({
    queryKey: keys.prompt(id, cwd),
    queryFn: ({ signal }) => call(getPrompt, { params: { id }, query: cwd === null ? {} : { cwd } }, signal),
  });

/** How long an agent must be open before its check, because the check runs pi and people often skim past agents. */
const REST_MS = 300;

/** Queries whether an agent is ready to run. Fetched after the agent has been open for a moment. */
export const readinessQuery = (id: string) =>
  queryOptions({
    queryKey: keys.readiness(id),
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      return call(getReadiness, { params: { id } }, signal);
    },
  });

/** Queries the providers and models that an agent adds to pi's own. */
export const piModelsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.piModels(id),
    queryFn: ({ signal }) => call(getPiModels, { params: { id } }, signal),
  });

/** Queries an agent's pi packages. Packages installed in a terminal appear when the window gets focus. */
export const packagesQuery = (id: string) =>
  queryOptions({
    queryKey: keys.packages(id),
    queryFn: ({ signal }) => call(getPackages, { params: { id } }, signal),
    staleTime: 0,
  });

/** Queries the settings that pi reads from an agent's settings.json. */
export const piSettingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.piSettings(id),
    queryFn: ({ signal }) => call(getPiSettings, { params: { id } }, signal),
  });

/** Queries the files whose text contains `text`. Never cached: every search fetches again. */
export const promptSearchQuery = (text: string, limit: number) =>
  queryOptions({
    queryKey: keys.promptSearch(text, limit),
    queryFn: ({ signal }) => call(searchPrompts, { query: { q: text, limit } }, signal),
    staleTime: 0,
    gcTime: 60_000,
  });
