import { useQuery } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentMcp } from '../../../../shared/api/mcp.ts';
import type { AgentPrompt } from '../../../../shared/api/prompt.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { isWindowsPath } from '../../../../shared/run-command.ts';
import { quotedPosix, quotedPowerShell } from '../../../../shared/shell-commands.ts';
import { mcpQuery, promptQuery } from '../../api/agent-queries.ts';
import { after } from '../../api/invalidations.ts';
import { lastRead, type ReadStatus, readStatus } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { editJsonFile } from '../../json-form/json-edits.ts';
import { mcp as words } from '../../strings/mcp.ts';

/** An agent's MCP servers. */
export const useMcp = (id: string): ReadStatus<AgentMcp> => readStatus(useQuery(mcpQuery(id)));

/** The tokens that the servers add to the prompt. Undefined until they're counted. */
export const useMcpTokens = (
  id: string,
):
  | { readonly total: number; readonly servers: ReadonlyMap<string, AgentPrompt['mcpServers'][number]> }
  | undefined => {
  const prompt = lastRead(useQuery(promptQuery(id, null)));
  return (
    prompt && {
      total: prompt.sections.find(({ name }) => name === 'mcp_servers')?.tokens ?? 0,
      servers: new Map(prompt.mcpServers.map((server) => [server.name, server])),
    }
  );
};

/** Edits of one server, and what they did. */
interface ServerChange {
  readonly name: string;
  readonly edits: readonly JsonEdit[];
  readonly done: string;
}

/** Changes a server and offers Undo. */
export const useChangeMcp = (id: string) =>
  useChange({
    make: ({ name, edits }: ServerChange) =>
      editJsonFile(words.change(name), { agent: id, json: 'mcp.json', edits }),
    said: (_, { done }) => done,
    failed: ({ name }) => words.failed(name),
    refresh: after.entries(id),
  });

/** Returns the command with which pi signs in to a server. */
export const signInCommand = ({ path }: Pick<AgentSummary, 'path'>, name: string): string =>
  isWindowsPath(path)
    ? `$env:PI_CODING_AGENT_DIR = ${quotedPowerShell(path)}; pi mcp login ${quotedPowerShell(name)}`
    : `PI_CODING_AGENT_DIR=${quotedPosix(path)} pi mcp login ${quotedPosix(name)}`;
