import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { encodeCells, type FilledCell } from '../../../../shared/api/links.ts';
import {
  changeAllMcp,
  type McpChanges,
  type McpDefinition,
  type McpOverview,
} from '../../../../shared/api/mcp.ts';
import { mcpOverviewQuery } from '../../api/agent-queries.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';
import { useUndoServers } from '../../presets/use-presets.ts';
import { common } from '../../strings/common.ts';
import { mcpMatrix as words } from '../../strings/mcp-matrix.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import type { MatrixRow } from './cell-changes.ts';
import type { GridNames } from './matrix-grid.tsx';

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

/** One step of a bulk change. */
export interface McpAction {
  readonly action: McpChanges['steps'][number]['action'];
  readonly steps: readonly Omit<McpChanges['steps'][number], 'action'>[];
}

/** Changes servers in many agents, with one Undo for all of them. */
export const useChangeAllMcp = (overview: McpOverview) => {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: keys.matrix('mcp') });
  const undo = useUndoServers();
  return useMutation({
    mutationFn: ({ action, steps }: McpAction) => {
      // Copy exactly what the person saw.
      const sources = new Set(steps.map(({ from }) => from));
      const etags = overview.agents.flatMap(({ id, etag }) =>
        etag !== null && sources.has(id) ? [[id, etag] as const] : [],
      );
      return call(changeAllMcp, {
        body: { steps: steps.map((step) => ({ ...step, action })), etags: Object.fromEntries(etags) },
      });
    },
    onSuccess: async ({ undo: id, agents }, { action }) => {
      const done = agents.reduce((sum, agent) => sum + agent.done.length, 0);
      const failed = agents.flatMap((agent) => agent.failed);
      if (done > 0)
        notify(
          words.changed[action](done),
          id === null ? undefined : { label: common.undo, run: () => void undo(id) },
        );
      else if (failed.length === 0) notify(words.nothing);
      if (failed[0]) notifyFailure(words.failed(failed.length), failed[0].error);
      await refresh();
    },
    onError: (error) => notifyFailure(words.changeFailed, error),
  });
};
