import { useQuery } from '@tanstack/react-query';
import { type ChangeResult, makeChanges } from '../../../../shared/api/changes.ts';
import { readJsonFile } from '../../../../shared/api/json-files.ts';
import { encodeCells, type FilledCell } from '../../../../shared/api/links.ts';
import type { McpDefinition, McpOverview } from '../../../../shared/api/mcp.ts';
import { isJsonObject, type JsonObject } from '../../../../shared/json-object.ts';
import { mcpOverviewQuery } from '../../api/agent-queries.ts';
import { call, callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { type Made, useChange } from '../../changes/changes.ts';
import { valueAt } from '../../json-form/fields.ts';
import { jsonItem } from '../../json-form/json-edits.ts';
import { mcpMatrix as words } from '../../strings/mcp-matrix.ts';
import type { MatrixRow } from './cell-changes.ts';
import type { GridNames } from './matrix-grid.tsx';
import { itemsOf, type McpAction } from './mcp-changes.ts';

/** Loads all agents' MCP servers. */
export const useMcpOverview = (): ReadStatus<McpOverview> => readStatus(useQuery(mcpOverviewQuery()));

/** Converts the overview to a grid. Its cells reuse the link states. The strings explain what they mean here. */
export const gridOf = ({
  servers,
  agents,
}: McpOverview): GridNames & { readonly agents: readonly MatrixRow[] } => {
  const cells = new Map<string, FilledCell[]>(agents.map(({ id }) => [id, []]));
  for (const [column, { definitions }] of servers.entries()) {
    for (const [index, { on, off, refused }] of definitions.entries()) {
      const add = (ids: readonly string[], state: FilledCell['state']): void => {
        for (const id of ids) cells.get(id)?.push({ column, state });
      };
      add(on, index === 0 ? 'linked' : 'shadowed');
      add(off, index === 0 ? 'switchedOff' : 'local');
      add(refused, 'broken');
    }
  }
  return {
    names: servers.map(({ name }) => name),
    missing: 0,
    agents: agents.map(({ id, problem }) => ({
      id,
      cells: encodeCells(cells.get(id) ?? []),
      ...(problem ? { problem } : {}),
    })),
  };
};

/** A definition that can be copied, and an agent that has it. */
export interface McpSource {
  readonly definition: McpDefinition;
  readonly from: string;
  readonly users: number;
}

/** Returns the definitions that can be copied to other agents, most common first. */
export const sourcesOf = ({ servers }: McpOverview, name: string): McpSource[] =>
  (servers.find((server) => server.name === name)?.definitions ?? []).flatMap((definition) => {
    const [from] = [...definition.on, ...definition.off];
    const users = definition.on.length + definition.off.length;
    return definition.copyable && from !== undefined ? [{ definition, from, users }] : [];
  });

/** Reads an agent's servers with their hidden values, if its file still has the etag that the page shows. */
const readServers = async (overview: McpOverview, id: string): Promise<JsonObject> => {
  const { value, etag } = await call(readJsonFile, {
    params: { id, file: 'mcp.json' },
    query: { reveal: 'true' },
  });
  if (etag !== overview.agents.find((agent) => agent.id === id)?.etag)
    throw new Error(words.sourceChanged(id));
  const servers = valueAt(value, ['mcpServers']);
  return isJsonObject(servers) ? servers : {};
};

/** Reads the servers of the agents to copy from. */
const readSources = async (
  overview: McpOverview,
  { steps }: McpAction,
): Promise<ReadonlyMap<string, JsonObject>> => {
  const ids = new Set(steps.flatMap(({ from }) => from ?? []));
  return new Map(
    await Promise.all(Array.from(ids, async (id) => [id, await readServers(overview, id)] as const)),
  );
};

const NOTHING: Made<{ readonly done: number; readonly refused: ChangeResult['refused'] }> = {
  body: { done: 0, refused: [] },
  change: null,
};

/** Changes servers in many agents as one change set. */
export const useChangeAllMcp = (overview: McpOverview) =>
  useChange({
    async make(change: McpAction) {
      const items = itemsOf(overview, change, await readSources(overview, change));
      if (items.length === 0) return NOTHING;
      const made = await callForChange(makeChanges, {
        body: { label: words.label[change.action], items: items.map(jsonItem) },
      });
      const { refused, applied } = made.body;
      const failed = new Set(refused.map(({ index }) => index));
      const done =
        applied === 0
          ? 0
          : items.reduce((sum, { edits }, at) => sum + (failed.has(at) ? 0 : edits.length), 0);
      return { body: { done, refused }, change: made.change };
    },
    said: ({ done, refused }, { action }) =>
      done > 0 ? words.changed[action](done) : refused.length === 0 ? words.nothing : null,
    problem: ({ refused: [first, ...more] }) =>
      first ? { title: words.failed(more.length + 1), error: first.error } : null,
    failed: () => words.changeFailed,
    refresh: ({ steps }) => after.entries(...new Set(steps.flatMap(({ agents }) => agents))),
  });
