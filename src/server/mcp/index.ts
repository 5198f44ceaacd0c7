import { changeMcp, getMcp, undoMcp } from '../../shared/api/mcp.ts';
import type { Base, Feature } from '../feature.ts';
import type { FormFiles } from '../platform/form-file.ts';
import { createMcpService } from './mcp.service.ts';

/** Creates the routes of agents' MCP servers. */
export const createMcp = (
  deps: Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: FormFiles },
): Feature => {
  const mcp = createMcpService(deps);
  return {
    routes(bind) {
      bind(getMcp, ({ params }) => mcp.read(params.id));
      bind(changeMcp, ({ params, headers, body }) =>
        mcp.change(params.id, body, {
          ifMatch: headers['if-match'],
          ifNoneMatch: headers['if-none-match'],
        }),
      );
      bind(undoMcp, ({ params, body }) => mcp.undo(params.id, body.etag));
    },
  };
};
