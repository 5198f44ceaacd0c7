import type { McpOverview } from '../../shared/api/mcp.ts';
import * as api from '../../shared/api/mcp.ts';
import type { Base, Feature } from '../feature.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import { createFormFile, type FormFiles } from '../platform/form-file.ts';
import { createShownBodies } from '../platform/shown-bodies.ts';
import { type BulkMcpService, createBulkMcp } from './bulk-mcp.ts';
import { editedMcp } from './change-mcp.ts';
import { createMcpService, type McpService } from './mcp.service.ts';
import { shapeOfMcp, shapeOfOverview } from './mcp-shape.ts';

interface McpFeature extends Feature {
  /** Returns an mcp.json with these edits. */
  readonly edited: typeof editedMcp;
  readonly add: BulkMcpService['add'];
  /** Returns an agent's server entry as written in mcp.json. Throws `mcp_server_not_found`. */
  readonly entry: McpService['entry'];
}

const shownTo = (caller: Caller, servers: api.AgentMcp): api.AgentMcp =>
  caller.kind === 'operator' ? servers : shapeOfMcp(servers);

/** Creates the routes for agents' MCP servers. The disk thread lists all agents' servers. */
export const createMcp = ({
  files,
  ...deps
}: Pick<Base, 'root' | 'nearDisk' | 'disk' | 'changes' | 'etagOf'> & {
  readonly files: FormFiles;
}): McpFeature => {
  const form = createFormFile(files, deps.changes, deps.etagOf, 'mcp.json');
  const mcp = createMcpService({ ...deps, form });
  const bulk = createBulkMcp(deps.root, form, deps.changes);
  const shapes = createShownBodies<McpOverview>(shapeOfOverview);
  return {
    routes(bind) {
      bind(api.listMcp, async (_, caller) => {
        const listed = await deps.disk.list('mcpServers');
        return caller.kind === 'operator' ? listed : shapes.of(listed);
      });
      bind(api.changeAllMcp, ({ body }) => bulk.change(body));
      bind(api.getMcp, async ({ params }, caller) =>
        shownTo(caller, await mcp.read(params.id, readerOf(caller))),
      );
      bind(api.changeMcp, async ({ params, headers, body }, caller) =>
        shownTo(
          caller,
          await mcp.change(params.id, body, {
            ifMatch: headers['if-match'],
            ifNoneMatch: headers['if-none-match'],
          }),
        ),
      );
    },
    edited: editedMcp,
    add: bulk.add,
    entry: mcp.entry,
  };
};
