import type { BulkMcp } from '../../shared/api/mcp-result.ts';
import { failureOf } from '../platform/bulk.ts';
import type { ChangeItem, Outcome } from '../platform/changes.ts';
import type { FormFiles } from '../platform/form-file.ts';
import { withEntry } from './change-mcp.ts';

type AgentResult = BulkMcp['agents'][number];

/** Items that add MCP servers, and what their outcomes mean. */
export interface McpPlan {
  readonly items: readonly ChangeItem[];
  /** Returns the results by agent. */
  results(outcomes: readonly Outcome[]): BulkMcp['agents'];
}

/** Returns the item that adds an agent's servers, and its result so far. */
const agentItem = (
  files: Pick<FormFiles, 'edit'>,
  id: string,
  servers: Readonly<Record<string, unknown>>,
) => {
  let result: AgentResult = { id, done: [], unchanged: [], failed: [] };
  const item = files.edit(id, 'mcp.json', {}, (text) => {
    result = { id, done: [], unchanged: [], failed: [] };
    let now = text;
    for (const [name, entry] of Object.entries(servers)) {
      try {
        const next = withEntry(now, name, entry);
        (next === now ? result.unchanged : result.done).push(name);
        now = next;
      } catch (error) {
        result.failed.push({ name, ...failureOf(error) });
      }
    }
    return now;
  });
  return {
    item,
    resultOf(outcome: Outcome | undefined): AgentResult {
      if (outcome?.is !== 'refused') return result;
      const failure = failureOf(outcome.error);
      const failed = Object.keys(servers).map((name) => ({ name, ...failure }));
      return { id, done: [], unchanged: [], failed };
    },
  };
};

/** Plans to add servers to agents. An agent that has another server with a name keeps it. */
export const planServers = (
  files: Pick<FormFiles, 'edit'>,
  agents: readonly string[],
  servers: Readonly<Record<string, unknown>>,
): McpPlan => {
  const ids = Object.keys(servers).length === 0 ? [] : agents;
  const all = ids.map((id) => agentItem(files, id, servers));
  return {
    items: all.map(({ item }) => item),
    results: (outcomes) => all.map(({ resultOf }, at) => resultOf(outcomes[at])),
  };
};
