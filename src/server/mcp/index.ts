import type { McpOverview } from '../../shared/api/mcp.ts';
import * as api from '../../shared/api/mcp.ts';
import type { Base, Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';
import type { FormFiles } from '../platform/form-file.ts';
import { createShownBodies } from '../platform/shown-bodies.ts';
import { type McpPlan, planServers } from './add-servers.ts';
import { editedMcp } from './change-mcp.ts';
import { createMcpService, type McpService } from './mcp.service.ts';
import { problemsOf } from './mcp-entries.ts';
import { shapeOfMcp, shapeOfOverview } from './mcp-shape.ts';

interface McpFeature extends Feature {
  /** Returns an mcp.json with these edits. */
  readonly edited: typeof editedMcp;
  readonly problemsOf: typeof problemsOf;
  /** Plans to add servers to agents. */
  add(agents: readonly string[], servers: Readonly<Record<string, unknown>>): McpPlan;
  /** Returns an agent's server entry as written in mcp.json. Throws `mcp_server_not_found`. */
  readonly entry: McpService['entry'];
}

/** Creates the routes for agents' MCP servers. The disk thread lists all agents' servers. */
export const createMcp = ({
  files,
  ...deps
}: Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: FormFiles }): McpFeature => {
  const mcp = createMcpService({ ...deps, files });
  const shapes = createShownBodies<McpOverview>(shapeOfOverview);
  return {
    routes(bind) {
      bind(api.listMcp, async (_, caller) => {
        const listed = await deps.disk.list('mcpServers');
        return caller.kind === 'operator' ? listed : shapes.of(listed);
      });
      bind(api.getMcp, async ({ params }, caller) => {
        const servers = await mcp.read(params.id, readerOf(caller));
        return caller.kind === 'operator' ? servers : shapeOfMcp(servers);
      });
    },
    edited: editedMcp,
    problemsOf,
    add: (agents, servers) => planServers(files, agents, servers),
    entry: mcp.entry,
  };
};
