import type { AgentMcp, McpOverview } from '../../shared/api/mcp.ts';
import * as api from '../../shared/api/mcp.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { OPERATOR_READER, type Reader, readerOf } from '../platform/caller.ts';
import type { FormFiles } from '../platform/form-file.ts';
import { createShownBodies } from '../platform/shown-bodies.ts';
import { quoted } from '../platform/words.ts';
import { type McpPlan, planServers } from './add-servers.ts';
import { editedMcp, serverIn } from './change-mcp.ts';
import { entriesOf, problemsOf } from './mcp-entries.ts';
import { shapeOfMcp, shapeOfOverview } from './mcp-shape.ts';
import { hasSignIns } from './sign-ins.ts';

interface McpFeature extends Feature {
  /** Returns an mcp.json with these edits. */
  readonly edited: typeof editedMcp;
  readonly problemsOf: typeof problemsOf;
  /** Plans to add servers to agents. */
  add(agents: readonly string[], servers: Readonly<Record<string, unknown>>): McpPlan;
  /** Returns an agent's server entry as written in mcp.json. Throws `mcp_server_not_found` and `mcp_unreadable`. */
  entry(id: string, name: string): Promise<unknown>;
}

/** Creates the routes for agents' MCP servers. The disk thread lists all agents' servers. */
export const createMcp = ({
  root,
  nearDisk,
  disk,
  files,
}: Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: FormFiles }): McpFeature => {
  const read = async (id: string, reader: Reader): Promise<AgentMcp> => {
    const file = await files.readTagged(id, 'mcp.json', reader);
    return {
      exists: file !== undefined,
      etag: file?.etag ?? null,
      ...(file ? entriesOf(file.content) : { servers: [] }),
      hasSignIns:
        nearDisk.read(() => hasSignIns(root, id)) ??
        (JSON.parse((await disk.ask<boolean>({ hasSignIns: id })).json.toString()) as boolean),
    };
  };
  const shapes = createShownBodies<McpOverview>(shapeOfOverview);
  return {
    routes(bind) {
      bind(api.listMcp, async (_, caller) => {
        const listed = await disk.list('mcpServers');
        return caller.kind === 'operator' ? listed : shapes.of(listed);
      });
      bind(api.getMcp, async ({ params }, caller) => {
        const servers = await read(params.id, readerOf(caller));
        return caller.kind === 'operator' ? servers : shapeOfMcp(servers);
      });
    },
    edited: editedMcp,
    problemsOf,
    add: (agents, servers) => planServers(files, agents, servers),
    async entry(id, name) {
      const file = await files.readTagged(id, 'mcp.json', OPERATOR_READER);
      const found = file && serverIn(file.content, name);
      if (!found)
        throw new AppError('mcp_server_not_found', `The agent "${id}" has no MCP server ${quoted(name)}.`);
      return found.entry;
    },
  };
};
