import * as api from '../../shared/api/mcp.ts';
import type { Base, Feature } from '../feature.ts';
import { createFormFile, type FormFiles } from '../platform/form-file.ts';
import { type BulkMcpService, createBulkMcp } from './bulk-mcp.ts';
import { createMcpService, type McpService } from './mcp.service.ts';

interface McpFeature extends Feature {
  readonly add: BulkMcpService['add'];
  /** Returns an agent's server entry as written in mcp.json. Throws `mcp_server_not_found`. */
  readonly entry: McpService['entry'];
}

/** Creates the routes for agents' MCP servers. The disk thread lists all agents' servers. */
export const createMcp = ({
  files,
  ...deps
}: Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: FormFiles }): McpFeature => {
  const form = createFormFile(files, 'mcp.json');
  const mcp = createMcpService({ ...deps, form });
  const bulk = createBulkMcp(deps.root, files, form);
  return {
    routes(bind) {
      bind(api.listMcp, () => deps.disk.list('mcpServers'));
      bind(api.changeAllMcp, ({ body }) => bulk.change(body));
      bind(api.undoAllMcp, ({ params }) => bulk.undo(params.undo));
      bind(api.getMcp, ({ params }) => mcp.read(params.id));
      bind(api.changeMcp, ({ params, headers, body }) =>
        mcp.change(params.id, body, {
          ifMatch: headers['if-match'],
          ifNoneMatch: headers['if-none-match'],
        }),
      );
      bind(api.undoMcp, ({ params, body }) => mcp.undo(params.id, body.etag));
    },
    add: bulk.add,
    entry: mcp.entry,
  };
};
