import { parseMcpFile, readMcpConfig } from '../../pi/mcp.ts';
import {
  isOnlyVariables,
  type McpPath,
  mayHoldSecret,
  mcpSecretPaths,
  variableInstead,
} from '../../pi/mcp-secrets.ts';
import type { ShownValue } from '../../shared/api/form-files.ts';
import type { JsonFile } from '../../shared/api/json-files.ts';
import { type AgentMcp, MCP_EXPOSURES, type McpServerEntry } from '../../shared/api/mcp.ts';
import { isJsonObject } from '../../shared/json-object.ts';

/** The keys that the form shows. `type` follows from the others. */
const FORM_KEYS = new Set([
  ...['type', 'enabled', 'command', 'args', 'cwd', 'env', 'url', 'headers'],
  ...['description', 'exposure', 'timeout'],
]);

const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns whether pi expands environment variables or runs commands in this value. */
const isReplaced = ([group]: McpPath): boolean => group === 'env' || group === 'headers';

/** Returns a value as the API shows it. SECURITY: nothing else from an mcp.json can reach a response. */
const shownValue = (name: string, path: McpPath, value: string, isSecret: boolean): ShownValue => {
  if (isReplaced(path) ? isOnlyVariables(value) : !isSecret && !mayHoldSecret(value)) return value;
  if (isReplaced(path) && value.startsWith('!')) return { hidden: 'command' };
  const instead = variableInstead(name, path, value);
  const url = path[0] === 'url' && URL.canParse(value) ? new URL(value) : undefined;
  return {
    hidden: 'text',
    ...(url ? { shown: `${url.protocol}//${url.host}` } : {}),
    ...(instead === undefined ? {} : { instead }),
  };
};

/** Returns the exposure that pi uses. Older names for `codemode` become `codemode`. */
const exposureOf = (value: unknown): McpServerEntry['exposure'] =>
  value === 'codemode-deferred' ? 'codemode' : MCP_EXPOSURES.find((exposure) => exposure === value);

/** Describes a server without possible secrets. `problem` says why pi skips it. */
export const entryOf = (name: string, value: unknown, problem: string | undefined): McpServerEntry => {
  const fields = isJsonObject(value) ? value : {};
  const secrets = new Set(Array.from(mcpSecretPaths(value), (path) => JSON.stringify(path)));
  const shown = (path: McpPath, text: unknown): ShownValue | undefined =>
    isText(text) ? shownValue(name, path, text, secrets.has(JSON.stringify(path))) : undefined;
  const record = (group: 'env' | 'headers') => {
    const entries = isJsonObject(fields[group]) ? Object.entries(fields[group]) : undefined;
    return (
      entries &&
      Object.fromEntries(
        entries.flatMap(([key, text]) => {
          const each = shown([group, key], text);
          return each === undefined ? [] : [[key, each]];
        }),
      )
    );
  };
  const { url, type, command, args, timeout, auth, headers } = fields;
  const isWebsite = isText(url) && type !== 'stdio';
  const hasLogin =
    isJsonObject(headers) && Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
  return {
    name,
    enabled: fields.enabled !== false,
    transport: isWebsite ? 'http' : isText(command) ? 'stdio' : null,
    ...(problem === undefined ? {} : { problem }),
    command: shown(['command'], command),
    args: Array.isArray(args)
      ? args.map((text: unknown, index) => shown(['args', index], text) ?? { hidden: 'text' as const })
      : undefined,
    cwd: shown(['cwd'], fields.cwd),
    env: record('env'),
    url: shown(['url'], url),
    headers: record('headers'),
    description: shown(['description'], fields.description),
    exposure: exposureOf(fields.exposure),
    timeout: typeof timeout === 'number' && Number.isFinite(timeout) ? timeout : undefined,
    otherKeys: Object.keys(fields).filter((key) => !FORM_KEYS.has(key)),
    signsIn: isWebsite && auth === undefined && !hasLogin,
  };
};

/** Replaces hidden values in text. */
const HIDDEN = '•••';
const MAX_TARGET = 200;

/** Returns the command or address that pi would use, on one line. */
export const shownTarget = ({ transport, command, args = [], url }: McpServerEntry): string => {
  const textOf = (value: ShownValue): string =>
    typeof value === 'string' ? value : [value.shown, HIDDEN].filter(Boolean).join('/');
  const text = (transport === 'http' ? [url] : [command, ...args])
    .flatMap((value) => (value === undefined ? [] : [textOf(value)]))
    .join(' ');
  return (text.length > MAX_TARGET ? `${text.slice(0, MAX_TARGET - 1)}…` : text).toWellFormed();
};

const NOT_JSON = 'mcp.json is not valid JSON, so pi ignores all of it. Correct it in another program.';
const NO_SERVERS =
  'pi ignores mcp.json unless it is an object that contains an "mcpServers" object. Correct the file.';

/** Returns the servers in an mcp.json, without possible secrets. */
export const entriesOf = (text: string): Pick<AgentMcp, 'servers' | 'problem'> => {
  const parsed = parseMcpFile(text);
  if (!parsed) return { servers: [], problem: /^\uFEFF?\s*[{[]/.test(text) ? brokenBecause(text) : NOT_JSON };
  const { refused } = readMcpConfig([{ text, isProject: false }]);
  return {
    servers: Object.entries(parsed.servers).map(([name, value]) =>
      entryOf(name, value, refused.get(name)?.message),
    ),
  };
};

/** Returns what pi refuses in an mcp.json. */
export const problemsOf = (text: string): JsonFile['problems'] => {
  const { problem } = entriesOf(text);
  if (problem !== undefined) return [{ path: [], message: problem }];
  return Array.from(readMcpConfig([{ text, isProject: false }]).refused, ([name, { path, message }]) => ({
    path: ['mcpServers', name, ...path],
    message,
  }));
};

const brokenBecause = (text: string): string => {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return NO_SERVERS;
  } catch {
    return NOT_JSON;
  }
};
