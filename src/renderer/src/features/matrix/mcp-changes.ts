import { serverAddition, serverRemoval, serverSwitch } from '../../../../pi/mcp-edits.ts';
import { secretPlaceOf } from '../../../../pi/mcp-secrets.ts';
import type { McpOverview } from '../../../../shared/api/mcp.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../../../shared/json-object.ts';
import { ifStill, type JsonFileEdits } from '../../json-form/json-edits.ts';
import { mcpMatrix as words } from '../../strings/mcp-matrix.ts';

/** A change of servers in many agents. */
export interface McpAction {
  readonly action: 'copy' | 'on' | 'off' | 'remove';
  readonly steps: readonly {
    readonly names: readonly string[];
    readonly agents: readonly string[];
    /** The agent to copy the servers from. */
    readonly from?: string | undefined;
  }[];
}

/** Returns the agents with a server in one of some states. */
const usersOf = (
  { servers }: McpOverview,
  name: string,
  states: readonly ('on' | 'off' | 'refused')[],
): ReadonlySet<string> =>
  new Set(
    (servers.find((server) => server.name === name)?.definitions ?? []).flatMap((definition) =>
      states.flatMap((state) => definition[state]),
    ),
  );

/** The states of servers that an action changes. */
const CHANGED = { on: ['off'], off: ['on'], remove: ['on', 'off', 'refused'] } as const;

const editOf = (action: keyof typeof CHANGED, name: string): JsonEdit =>
  action === 'remove' ? serverRemoval(name) : serverSwitch(name, action === 'on');

/** Returns a server to copy. SECURITY: a secret stays where it is. */
const copyOf = (servers: JsonObject | undefined, name: string): JsonObject => {
  const entry = servers && Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!isJsonObject(entry) || secretPlaceOf(entry)) throw new Error(words.noSourceHint);
  return entry;
};

/**
 * Returns the edits of an action, by agent. `sources` has the servers of the agents to copy from. An agent that has a
 * server of the name keeps it.
 */
const editsByAgent = (
  overview: McpOverview,
  { action, steps }: McpAction,
  sources: ReadonlyMap<string, JsonObject>,
): ReadonlyMap<string, readonly JsonEdit[]> => {
  const edits = new Map<string, JsonEdit[]>();
  const add = (id: string, edit: JsonEdit) => edits.set(id, [...(edits.get(id) ?? []), edit]);
  for (const { names, agents, from } of steps)
    for (const name of names) {
      if (action === 'copy') {
        const edit = serverAddition(name, copyOf(sources.get(from ?? ''), name));
        const users = usersOf(overview, name, ['on', 'off', 'refused']);
        for (const id of agents) if (!users.has(id)) add(id, edit);
      } else {
        const users = usersOf(overview, name, CHANGED[action]);
        for (const id of agents) if (users.has(id)) add(id, editOf(action, name));
      }
    }
  return edits;
};

/** Returns the items of an action, one for each agent that it changes. */
export const itemsOf = (
  overview: McpOverview,
  change: McpAction,
  sources: ReadonlyMap<string, JsonObject>,
): JsonFileEdits[] => {
  const stateOf = new Map(overview.agents.map((agent) => [agent.id, agent]));
  return Array.from(editsByAgent(overview, change, sources), ([agent, edits]) => {
    const { etag = null, problem } = stateOf.get(agent) ?? {};
    // An added server must not replace one that the page doesn't know yet.
    const condition = change.action === 'copy' && !problem ? ifStill(etag) : {};
    return { agent, json: 'mcp.json' as const, edits, ...condition };
  });
};
