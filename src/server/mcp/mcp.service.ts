import type { AgentMcp } from '../../shared/api/mcp.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { OPERATOR_READER, type Reader } from '../platform/caller.ts';
import type { FormFiles } from '../platform/form-file.ts';
import { quoted } from '../platform/words.ts';
import { serverIn } from './change-mcp.ts';
import { entriesOf } from './mcp-entries.ts';
import { hasSignIns } from './sign-ins.ts';

/**
 * Reads agents' MCP servers. All methods throw `agent_not_found`, `root_unavailable` and the reason why mcp.json can't be
 * read.
 */
export interface McpService {
  read(id: string, reader: Reader): Promise<AgentMcp>;
  /** Returns a server's entry as written. Throws `mcp_server_not_found` and `mcp_unreadable`. */
  entry(id: string, name: string): Promise<unknown>;
}

type McpDeps = Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: Pick<FormFiles, 'readTagged'> };

/** Creates {@link McpService}. */
export const createMcpService = ({ root, nearDisk, disk, files }: McpDeps): McpService => ({
  async read(id, reader) {
    const file = await files.readTagged(id, 'mcp.json', reader);
    return {
      exists: file !== undefined,
      etag: file?.etag ?? null,
      ...(file ? entriesOf(file.content) : { servers: [] }),
      hasSignIns:
        nearDisk.read(() => hasSignIns(root, id)) ??
        (JSON.parse((await disk.ask<boolean>({ hasSignIns: id })).json.toString()) as boolean),
    };
  },

  async entry(id, name) {
    const file = await files.readTagged(id, 'mcp.json', OPERATOR_READER);
    const found = file && serverIn(file.content, name);
    if (!found)
      throw new AppError('mcp_server_not_found', `The agent "${id}" has no MCP server ${quoted(name)}.`);
    return found.entry;
  },
});
