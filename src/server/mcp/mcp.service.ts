import type { AgentMcp } from '../../shared/api/mcp.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { OPERATOR_READER, type Reader } from '../platform/caller.ts';
import type { FormFile, TaggedText } from '../platform/form-file.ts';
import { quoted } from '../platform/words.ts';
import type { WriteConditions } from '../platform/write-conditions.ts';
import { changedMcp, type McpChange, serverIn } from './change-mcp.ts';
import { entriesOf } from './mcp-entries.ts';
import { hasSignIns } from './sign-ins.ts';

/**
 * Reads and changes agents' MCP servers. All methods throw `agent_not_found`, `root_unavailable` and the reason why
 * mcp.json can't be read.
 */
export interface McpService {
  read(id: string, reader: Reader): Promise<AgentMcp>;
  /** Returns a server's entry as written. Throws `mcp_server_not_found` and `mcp_unreadable`. */
  entry(id: string, name: string): Promise<unknown>;
  /** Throws `file_changed`, and the errors of {@link changedMcp}. */
  change(id: string, change: McpChange, conditions: WriteConditions): Promise<AgentMcp>;
}

type McpDeps = Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly form: FormFile };

/** Creates {@link McpService}. */
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
    read: async (id, reader) => toAnswer(id, await form.read(id, reader)),
    async entry(id, name) {
      const file = await form.read(id, OPERATOR_READER);
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
          'dot-mi restores hidden arguments by their position, so it must know that the file is unchanged. Send If-Match with the etag that you read.',
        );
      return toAnswer(id, (await form.change(id, conditions, (text) => changedMcp(text, change))).file);
    },
  };
};
