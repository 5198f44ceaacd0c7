import { hash } from 'node:crypto';
import { join } from 'node:path';
import { parseMcpFile, readMcpConfig } from '../../pi/mcp.ts';
import { secretPlaceOf } from '../../pi/mcp-secrets.ts';
import { MAX_LISTED_SERVERS, type McpDefinition, type McpOverview } from '../../shared/api/mcp.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import type { ScanContext, WatchCoverage } from '../disk/coverage.ts';
import { AppError, entryProblemOf } from '../platform/app-error.ts';
import { fingerprintOf, mayKeepRead } from '../platform/fingerprint.ts';
import { agentIdOf, createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { type Root, requireAgentsFolder } from '../platform/root.ts';
import { entriesOf, entryOf, shownTarget } from './mcp-entries.ts';

const FILE = 'mcp.json';

/** An agent's mcp.json, or the reason why it isn't read. */
type ReadMcpFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly file: { readonly content: string }; readonly etag: string }
  | { readonly kind: 'refused'; readonly message: string };

/** An agent's server, without possible secrets. */
interface FoundServer {
  readonly name: string;
  readonly state: 'on' | 'off' | 'refused';
  /** Equal definitions have the same key. */
  readonly key: string;
  readonly definition: Pick<McpDefinition, 'transport' | 'target' | 'copyable'>;
}

interface KnownAgent {
  readonly row: McpOverview['agents'][number];
  readonly servers: readonly FoundServer[];
  /** Undefined means read it every time. */
  readonly fingerprint: string | undefined;
  readonly cover: WatchCoverage | undefined;
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

const readServers = (text: string): Pick<KnownAgent, 'servers'> & { readonly problem?: EntryProblem } => {
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

/**
 * Creates a blocking scan of all agents' mcp.json, for the disk thread. Without a watch, it costs one `lstat` per
 * agent and returns the same object until something changes. `readFile` reads an agent's mcp.json. Throws
 * `root_unavailable`.
 */
export const createMcpScan = (root: Root, readFile: (id: string) => ReadMcpFile | undefined) => {
  const listAgents = createDirectoryLister(root.path, root.agents, agentIdOf);
  let known = new Map<string, KnownAgent>();
  let last: McpOverview | undefined;

  const read = (id: string): Pick<KnownAgent, 'row' | 'servers'> => {
    const snapshot = readFile(id);
    if (!snapshot || snapshot.kind === 'missing') return { row: { id, etag: null }, servers: [] };
    if (snapshot.kind === 'refused')
      return { row: { id, etag: null, problem: unreadable(snapshot.message) }, servers: [] };
    const { servers, problem } = readServers(snapshot.file.content);
    return { row: { id, etag: snapshot.etag, ...(problem ? { problem } : {}) }, servers };
  };

  /** Returns undefined for an agent that was removed in the meantime. */
  const look = (id: string, before: KnownAgent | undefined, at: ScanContext): KnownAgent | undefined => {
    if (before && at.isSame(before.cover)) return before;
    const cover = at.cover(before?.cover, root.agent(id));
    try {
      const stats = lstatIfThere(join(root.agent(id), FILE));
      if (!stats) {
        const isKnown = before?.row.etag === null && !before.row.problem && before.cover === cover;
        return isKnown ? before : { row: { id, etag: null }, servers: [], fingerprint: undefined, cover };
      }
      const fingerprint = fingerprintOf(stats);
      const isFixed = stats.isFile() && stats.nlink === 1n;
      if (isFixed && before?.fingerprint === fingerprint.text && before.cover === cover) return before;
      if (!isFixed) at.miss();
      const found = read(id);
      const isSame =
        before && canonical([found.row, found.servers]) === canonical([before.row, before.servers]);
      return {
        ...(isSame ? { row: before.row, servers: before.servers } : found),
        fingerprint: isFixed && mayKeepRead(fingerprint, at.nowMs) ? fingerprint.text : undefined,
        cover: isFixed ? cover : undefined,
      };
    } catch (error) {
      at.miss();
      if (error instanceof AppError && error.code === 'agent_not_found') return undefined;
      const problem =
        error instanceof AppError ? unreadable(error.text) : entryProblemOf(error, `This agent’s ${FILE}`);
      return { row: { id, etag: null, problem }, servers: [], fingerprint: undefined, cover: undefined };
    }
  };

  const overviewOf = (agents: readonly KnownAgent[]): McpOverview => {
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

  return (at: ScanContext): McpOverview => {
    at.coverAlso(root.agents);
    requireAgentsFolder(root);
    const next = new Map<string, KnownAgent>();
    let isSame = last !== undefined;
    for (const id of listAgents(at.nowMs).entries) {
      const before = known.get(id);
      const found = look(id, before, at);
      if (!found) continue;
      next.set(id, found);
      isSame &&= found.row === before?.row && found.servers === before.servers;
    }
    isSame &&= next.size === known.size;
    known = next;
    if (!last || !isSame) last = overviewOf([...next.values()]);
    return last;
  };
};
