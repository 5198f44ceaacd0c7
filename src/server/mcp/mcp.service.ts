import type { AgentMcp } from '../../shared/api/mcp.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import type { FormFile, TaggedText } from '../platform/form-file.ts';
import { quoted } from '../platform/words.ts';
import type { WriteConditions } from '../platform/write-conditions.ts';
import { changedMcp, type McpChange, serverIn } from './change-mcp.ts';
import { entriesOf } from './mcp-entries.ts';
import { hasSignIns } from './sign-ins.ts';

/** Reads and changes the MCP servers of agents. All of it throws `agent_not_found`, `root_unavailable`, and why mcp.json can't be read. */
export interface McpService {
  read(id: string): Promise<AgentMcp>;
  /** The entry of a server, as the file has it. Throws `mcp_server_not_found`, `mcp_unreadable`. */
  entry(id: string, name: string): Promise<unknown>;
  /** Throws `file_changed`, and what {@link changedMcp} throws. */
  change(id: string, change: McpChange, conditions: WriteConditions): Promise<AgentMcp>;
  /** Puts the file back as it was before the change that made this etag. Throws `nothing_to_undo`, `file_changed`. */
  undo(id: string, etag: string): Promise<AgentMcp>;
}

type McpDeps = Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly form: FormFile };

/** Creates the service. */
export const createMcpService = ({ root, nearDisk, disk, form }: McpDeps): McpService => {
  const toAnswer = async (id: string, file: TaggedText | undefined): Promise<AgentMcp> => ({
    exists: file !== undefined,
    etag: file?.etag ?? null,
    ...(file ? entriesOf(file.content) : { servers: [] }),
    hasSignIns:
      nearDisk.read(() => hasSignIns(root, id)) ??
      (JSON.parse((await disk.ask<boolean>({ hasSignIns: id })).json.toString()) as boolean),
  });

  return {
    read: async (id) => toAnswer(id, await form.read(id)),
    async entry(id, name) {
      const file = await form.read(id);
      const found = file && serverIn(file.content, name);
      if (!found)
        throw new AppError('mcp_server_not_found', `The agent "${id}" has no MCP server ${quoted(name)}.`);
      return found.entry;
    },
    async change(id, change, conditions) {
      const keepsArgs = change.server?.args?.some((arg) => typeof arg !== 'string');
      const isBound = conditions.ifMatch !== undefined && conditions.ifMatch.trim() !== '*';
      if (keepsArgs && !isBound)
        throw new AppError(
          'mcp_server_refused',
          'dot-mi finds a hidden argument by its position, so send If-Match with the etag that you read.',
        );
      return toAnswer(id, await form.change(id, conditions, (text) => changedMcp(text, change)));
    },
    undo: async (id, etag) => toAnswer(id, await form.undo(id, etag)),
  };
};
