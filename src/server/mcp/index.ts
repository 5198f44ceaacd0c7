import * as api from '../../shared/api/mcp.ts';
import type { Base, Feature } from '../feature.ts';
import { createFormFile, type FormFiles } from '../platform/form-file.ts';
import { createBulkMcp } from './bulk-mcp.ts';
import { createMcpService } from './mcp.service.ts';

/** Creates the routes of agents' MCP servers. The disk thread lists those of all agents. */
export const createMcp = ({
  files,
  ...deps
}: Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: FormFiles }): Feature => {
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
  };
};
