import { hash } from 'node:crypto';
import { interpretationLimit } from '../../pi/interpret.ts';
import { parseMcpFile, readMcpConfig } from '../../pi/mcp.ts';
import { secretPlaceOf } from '../../pi/mcp-secrets.ts';
import { MAX_LISTED_SERVERS, type McpDefinition, type McpOverview } from '../../shared/api/mcp.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { AppError, entryProblemOf } from '../platform/app-error.ts';
import type { AgentReading } from '../root-model/read-agents.ts';
import { entriesOf, entryOf, shownTarget } from './mcp-entries.ts';

const FILE = 'mcp.json';

/** An agent's server, without possible secrets. */
interface FoundServer {
  readonly name: string;
  readonly state: 'on' | 'off' | 'refused';
  /** Equal definitions have the same key. */
  readonly key: string;
  readonly definition: Pick<McpDefinition, 'transport' | 'target' | 'copyable'>;
}

/** An agent's servers, and its row in the overview. */
interface AgentServers {
  readonly row: McpOverview['agents'][number];
  readonly servers: readonly FoundServer[];
}

/** JSON with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/**
 * Describes a server for the list. SECURITY: hidden values aren't compared, because anyone who can write one agent
 * could then guess another's.
 */
const foundServer = (name: string, value: unknown, isRefused: boolean): FoundServer => {
  const entry = entryOf(name, value, undefined);
  const { enabled, exposure, otherKeys, ...shown } = entry;
  const copyable = secretPlaceOf(value) === undefined;
  const compared = {
    ...shown,
    exposure: exposure ?? 'codemode',
    otherKeys: otherKeys.toSorted(),
    copyable,
  };
  return {
    name,
    state: isRefused ? 'refused' : enabled ? 'on' : 'off',
    key: hash('sha256', canonical(compared)),
    definition: { transport: entry.transport, target: shownTarget(entry), copyable },
  };
};

const unreadable = (message: string): EntryProblem => ({ code: 'unreadable', message });

const readServers = (text: string): Pick<AgentServers, 'servers'> & { readonly problem?: EntryProblem } => {
  const parsed = parseMcpFile(text);
  if (!parsed) return { servers: [], problem: unreadable(entriesOf(text).problem ?? `pi ignores ${FILE}.`) };
  const { refused } = readMcpConfig([{ text, isProject: false }]);
  const all = Object.entries(parsed.servers);
  return {
    servers: all
      .slice(0, MAX_LISTED_SERVERS)
      .map(([name, value]) => foundServer(name, value, refused.has(name))),
    ...(all.length > MAX_LISTED_SERVERS
      ? {
          problem: unreadable(
            `${FILE} has more than ${MAX_LISTED_SERVERS} servers. The others are not listed here.`,
          ),
        }
      : {}),
  };
};

const byId = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the servers in an agent's mcp.json. */
export const agentServers = ({ id, file }: AgentReading): AgentServers => {
  try {
    const snapshot = file(FILE);
    if (snapshot.kind === 'missing') return { row: { id, etag: null }, servers: [] };
    if (snapshot.kind === 'refused')
      return { row: { id, etag: null, problem: unreadable(snapshot.message) }, servers: [] };
    const limit = interpretationLimit(FILE, snapshot.file.content);
    const { servers, problem } =
      limit === undefined
        ? readServers(snapshot.file.content)
        : {
            servers: [],
            problem: unreadable(`${FILE} ${limit}, so dot-mi doesn’t read it. pi may still use it.`),
          };
    return { row: { id, etag: snapshot.etag, ...(problem ? { problem } : {}) }, servers };
  } catch (error) {
    if (error instanceof AppError && error.code === 'agent_not_found') throw error;
    const problem =
      error instanceof AppError ? unreadable(error.text) : entryProblemOf(error, `This agent’s ${FILE}`);
    return { row: { id, etag: null, problem }, servers: [] };
  }
};

/** Groups the agents' servers by name and definition. */
export const mcpOverview = (agents: readonly AgentServers[]): McpOverview => {
  const byName = new Map<string, Map<string, McpDefinition>>();
  for (const { row, servers } of agents) {
    for (const { name, state, key, definition } of servers) {
      const definitions = byName.get(name) ?? new Map<string, McpDefinition>();
      byName.set(name, definitions);
      const one = definitions.get(key) ?? { ...definition, on: [], off: [], refused: [] };
      definitions.set(key, one);
      one[state].push(row.id);
    }
  }
  const users = ({ on, off, refused }: McpDefinition): number => on.length + off.length + refused.length;
  return {
    servers: Array.from(byName, ([name, definitions]) => ({
      name,
      definitions: [...definitions.values()].sort((a, b) => users(b) - users(a)),
    })).sort((a, b) => byId(a.name, b.name)),
    agents: agents.map(({ row }) => row),
  };
};
