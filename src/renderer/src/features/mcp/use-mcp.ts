import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { type AgentMcp, changeMcp, getMcp, type McpServerChange } from '../../../../shared/api/mcp.ts';
import type { AgentPrompt } from '../../../../shared/api/prompt.ts';
import { isWindowsPath } from '../../../../shared/run-command.ts';
import { quotedPosix, quotedPowerShell } from '../../../../shared/shell-commands.ts';
import { mcpQuery, promptQuery } from '../../api/agent-queries.ts';
import { call, callForChange } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { lastRead, type ReadStatus, readStatus } from '../../api/read-status.ts';
import { common } from '../../strings/common.ts';
import { mcp as words } from '../../strings/mcp.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';
import { undoItem } from '../../undo-change.ts';

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

/** A change to one server, and its success message. */
export interface ServerChange {
  readonly name: string;
  readonly newName?: string | undefined;
  readonly server: McpServerChange | null;
  /** The file must still have this etag. */
  readonly ifMatch?: string | undefined;
  readonly done: string;
}

/** Changes a server and offers Undo. The caller reports failures. */
export const useChangeMcp = (id: string) => {
  const client = useQueryClient();
  const failure = `mcp.json of ${id}`;
  const show = (state: AgentMcp): void => {
    client.setQueryData(keys.mcp(id), state);
    for (const queryKey of [
      keys.agentChecks(id),
      keys.prompts(id),
      keys.checkCounts,
      keys.entries(id),
      keys.matrix('mcp'),
    ])
      void client.invalidateQueries({ queryKey });
  };
  const undo = async (change: string): Promise<void> => {
    try {
      await undoItem(change);
      show(await call(getMcp, { params: { id } }));
      notify(words.undone);
    } catch (error) {
      reportFailure(failure, words.undoFailed, error);
    }
  };
  return useMutation({
    mutationFn: ({ name, newName, server, ifMatch }: ServerChange) =>
      callForChange(changeMcp, {
        params: { id },
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
        body: { name, server, ...(newName === undefined ? {} : { newName }) },
      }),
    onSuccess: ({ body: state, change }, { done }) => {
      settleFailure(failure);
      show(state);
      notify(done, change === null ? undefined : { label: common.undo, run: () => void undo(change) });
    },
  });
};

/** Returns the command with which pi signs in to a server. */
export const signInCommand = ({ path }: Pick<AgentSummary, 'path'>, name: string): string =>
  isWindowsPath(path)
    ? `$env:PI_CODING_AGENT_DIR = ${quotedPowerShell(path)}; pi mcp login ${quotedPowerShell(name)}`
    : `PI_CODING_AGENT_DIR=${quotedPosix(path)} pi mcp login ${quotedPosix(name)}`;
