import type { HiddenValue, ShownValue } from '../../shared/api/form-files.ts';
import type { AgentMcp, McpDefinition, McpOverview, McpServerEntry } from '../../shared/api/mcp.ts';

const HIDDEN: HiddenValue = { hidden: 'text' };

const hidden = (value: ShownValue | undefined): ShownValue | undefined =>
  value === undefined ? undefined : HIDDEN;

const hiddenGroup = (group: McpServerEntry['env']): McpServerEntry['env'] =>
  group && Object.fromEntries(Object.keys(group).map((name) => [name, HIDDEN]));

const shapeOfServer = (server: McpServerEntry): McpServerEntry => ({
  name: server.name,
  enabled: server.enabled,
  transport: server.transport,
  ...(server.problem === undefined
    ? {}
    : { problem: 'pi leaves out this server. The operator can see why.' }),
  command: hidden(server.command),
  args: server.args?.map(() => HIDDEN),
  cwd: hidden(server.cwd),
  env: hiddenGroup(server.env),
  url: hidden(server.url),
  headers: hiddenGroup(server.headers),
  description: hidden(server.description),
  // Values that aren't text have no placeholder.
  otherKeys: [
    ...(server.exposure === undefined ? [] : ['exposure']),
    ...(server.timeout === undefined ? [] : ['timeout']),
    ...server.otherKeys,
  ],
  signsIn: server.signsIn,
});

/**
 * Returns which fields an mcp.json sets, without their values, for readers who don't see those.
 *
 * SECURITY: copies only what it names, so a new field stays hidden.
 */
export const shapeOfMcp = ({ exists, problem, servers, hasSignIns }: AgentMcp): AgentMcp => ({
  exists,
  etag: null,
  ...(problem === undefined ? {} : { problem: 'pi ignores mcp.json. The operator can see why.' }),
  servers: servers.map(shapeOfServer),
  hasSignIns,
});

/** The form of a {@link McpDefinition} that shows no value. `•••` is what the forms show too. */
const shapeOfDefinitions = (definitions: readonly McpDefinition[]): McpDefinition[] =>
  [...Map.groupBy(definitions, ({ transport }) => transport)].map(([transport, all]) => ({
    transport,
    target: '•••',
    copyable: false,
    on: all.flatMap(({ on }) => on).sort(),
    off: all.flatMap(({ off }) => off).sort(),
    refused: all.flatMap(({ refused }) => refused).sort(),
  }));

/**
 * Returns which agents have which MCP servers, without the servers' values.
 *
 * SECURITY: doesn't say which agents have the same definition, because anyone who can write one agent could then
 * guess another's.
 */
export const shapeOfOverview = ({ servers, agents }: McpOverview): McpOverview => ({
  servers: servers.map(({ name, definitions }) => ({ name, definitions: shapeOfDefinitions(definitions) })),
  agents: agents.map(({ id, problem }) => ({
    id,
    etag: null,
    ...(problem === undefined
      ? {}
      : {
          problem: {
            code: problem.code,
            message: 'dot-mi or pi can’t use mcp.json. The operator can see why.',
          },
        }),
  })),
});
