import { secretPlaceOf } from '../../pi/mcp-secrets.ts';
import type { McpChanges } from '../../shared/api/mcp.ts';
import type { BulkMcp } from '../../shared/api/mcp-result.ts';
import { AppError } from '../platform/app-error.ts';
import { type Failure, failureOf } from '../platform/bulk.ts';
import { OPERATOR_READER } from '../platform/caller.ts';
import type { ChangeItem, Changes, Outcome } from '../platform/changes.ts';
import { namesEtag } from '../platform/etag.ts';
import type { FormFile, TaggedText } from '../platform/form-file.ts';
import { type Root, resolveRoot } from '../platform/root.ts';
import { quoted } from '../platform/words.ts';
import { fileChanged } from '../platform/write-conditions.ts';
import { changedMcp, serverIn, withEntry } from './change-mcp.ts';

const FILE = 'mcp.json';

type AgentResult = BulkMcp['agents'][number];

/** A change to one server in an mcp.json. The text is undefined if the file is missing. */
interface Task {
  readonly name: string;
  /** Returns the same text if it changes nothing. */
  run(text: string | undefined): string | undefined;
}

/** Items that change MCP servers, and what their outcomes mean. */
export interface McpPlan {
  readonly items: readonly ChangeItem[];
  /** Returns the results by agent. */
  results(outcomes: readonly Outcome[]): BulkMcp['agents'];
}

/** Changes many agents' MCP servers. */
export interface BulkMcpService {
  change(changes: McpChanges): Promise<BulkMcp>;
  /** Plans to add entries to agents, like `copy`. */
  add(agents: readonly string[], servers: Readonly<Record<string, unknown>>): McpPlan;
}

/** Refuses an entry that contains a secret as plain text. */
const requireNoSecret = (name: string, entry: unknown, from: string): void => {
  const place = secretPlaceOf(entry);
  if (place)
    throw new AppError(
      'mcp_server_refused',
      `The MCP server ${quoted(name)} of ${from} contains a secret in plain text at ${quoted(place.join('.'))}, so it was not copied. Replace the secret with a variable such as $NAME, and set that variable before you start pi.`,
    );
};

/** Creates {@link BulkMcpService}. Each request is one change set. */
export const createBulkMcp = (
  root: Root,
  form: FormFile,
  changes: Pick<Changes, 'apply'>,
): BulkMcpService => {
  /** Returns the item that runs an agent's tasks, and its result so far. */
  const agentItem = (id: string, tasks: readonly Task[], etag: string | undefined) => {
    let result: AgentResult = { id, done: [], unchanged: [], failed: [] };
    const item = form.item(id, { ifMatch: etag }, (text) => {
      result = { id, done: [], unchanged: [], failed: [] };
      let now = text;
      for (const { name, run } of tasks) {
        try {
          const next = run(now);
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
        return { id, done: [], unchanged: [], failed: tasks.map(({ name }) => ({ name, ...failure })) };
      },
    };
  };

  const plan = (
    tasksOf: ReadonlyMap<string, readonly Task[]>,
    etags: ReadonlyMap<string, string> = new Map(),
  ): McpPlan => {
    const all = Array.from(tasksOf, ([id, tasks]) => agentItem(id, tasks, etags.get(id)));
    return {
      items: all.map(({ item }) => item),
      results: (outcomes) => all.map(({ resultOf }, at) => resultOf(outcomes[at])),
    };
  };

  /** Returns the task that copies an entry, or the failure to report for each agent. */
  const copyTask = (from: string, name: string, source: TaggedText | undefined | Failure): Task => {
    const find = (): unknown => {
      if (source && 'code' in source) throw new AppError(source.code, source.error);
      const found = source && serverIn(source.content, name);
      if (!found)
        throw new AppError('mcp_server_not_found', `${from} has no MCP server ${quoted(name)} to copy.`);
      requireNoSecret(name, found.entry, from);
      return found.entry;
    };
    return { name, run: (text) => withEntry(text, name, find()) };
  };

  const taskOf = (action: 'on' | 'off' | 'remove', name: string): Task => ({
    name,
    run(text) {
      if (text === undefined || !serverIn(text, name)) return text;
      return changedMcp(text, { name, server: action === 'remove' ? null : { enabled: action === 'on' } });
    },
  });

  const readSource = async (
    id: string,
    etag: string | undefined,
  ): Promise<TaggedText | undefined | Failure> => {
    try {
      const file = await form.read(id, OPERATOR_READER);
      if (etag !== undefined && !namesEtag(etag, file?.etag))
        throw fileChanged(`${FILE} of ${id}`, file?.etag);
      return file;
    } catch (error) {
      return failureOf(error);
    }
  };

  const change = async ({ steps, etags: sent = {} }: McpChanges): Promise<BulkMcp> => {
    // An agent can have the name of a property that every object has.
    const etags = new Map(Object.entries(sent));
    await resolveRoot(root);
    const sources = new Map<string, TaggedText | undefined | Failure>();
    for (const { from } of steps)
      if (from !== undefined && !sources.has(from))
        sources.set(from, await readSource(from, etags.get(from)));
    const tasksOf = new Map<string, Task[]>();
    for (const { action, names, agents, from } of steps) {
      const tasks = [...new Set(names)].map((name) =>
        action === 'copy' ? copyTask(from ?? '', name, sources.get(from ?? '')) : taskOf(action, name),
      );
      for (const id of new Set(agents)) {
        const own = tasksOf.get(id) ?? [];
        own.push(...tasks);
        tasksOf.set(id, own);
      }
    }
    const { items, results } = plan(tasksOf, etags);
    const { change: undo, outcomes } = await changes.apply('Change MCP servers', items);
    return { undo, agents: results(outcomes) };
  };

  const add: BulkMcpService['add'] = (agents, servers) => {
    const tasks = Object.entries(servers).map(
      ([name, entry]): Task => ({ name, run: (text) => withEntry(text, name, entry) }),
    );
    return plan(new Map(tasks.length === 0 ? [] : agents.map((id) => [id, tasks])));
  };

  return { change, add };
};
