import { withoutComments } from '../../../../shared/json-document.ts';
import { isJsonObject, type JsonObject } from '../../../../shared/json-object.ts';
import type { PastedEntry } from '../../json-form/entry-kind.ts';
import { mcp } from '../../strings/mcp.ts';

const words = mcp.dialog.paste;

/** READMEs have comments and trailing commas. */
const parsed = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(withoutComments(text));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Finds the object in a text. READMEs often leave out the outer braces, and people copy the fence and words around it. */
const objectIn = (text: string): JsonObject | undefined => {
  const trimmed = text.trim().replace(/,$/, '');
  const inner = trimmed.slice(trimmed.indexOf('{'), trimmed.lastIndexOf('}') + 1);
  return parsed(trimmed) ?? parsed(`{${trimmed}}`) ?? parsed(inner);
};

/** The keys below which other programs list their servers. */
const LISTS: readonly string[] = ['mcpServers', 'servers', 'context_servers', 'mcp'];
/** What other programs call the address. */
const ADDRESSES: readonly string[] = ['url', 'serverUrl', 'httpUrl'];

const isEntry = (value: unknown): value is JsonObject =>
  isJsonObject(value) &&
  (typeof value.command === 'string' ||
    Array.isArray(value.command) ||
    ADDRESSES.some((key) => typeof value[key] === 'string'));

/** Returns the servers in an object, by name. A bare server has none. */
const serversIn = (value: JsonObject): readonly (readonly [name: string, entry: JsonObject])[] => {
  if (isEntry(value)) return [['', value]];
  const list = LISTS.map((key) => value[key]).find(isJsonObject);
  if (list) return serversIn(list);
  return Object.entries(value).filter((each): each is [string, JsonObject] => isEntry(each[1]));
};

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isPlain).map(String) : []);

const namedTextsIn = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, each]) =>
      isPlain(each) ? [[name, String(each)]] : [],
    ),
  );

/** The keys that the form has, or that say what the form knows anyway. */
const READ: ReadonlySet<string> = new Set([
  ...['command', 'args', 'env', 'environment', 'cwd', 'headers', 'description', ...ADDRESSES],
]);
const TYPES: ReadonlySet<unknown> = new Set([
  ...['stdio', 'local', 'http', 'streamable-http', 'streamableHttp', 'remote'],
]);

/** Returns a server as pi has it in mcp.json. */
const asPi = (entry: JsonObject): JsonObject => {
  const { command, args, env = entry.environment, cwd, headers, description } = entry;
  const url = ADDRESSES.map((key) => entry[key]).find((each) => typeof each === 'string');
  const [program, ...first] = Array.isArray(command) ? textsIn(command) : [command];
  return {
    ...(typeof program === 'string' ? { command: program } : {}),
    ...(args === undefined && first.length === 0 ? {} : { args: [...first, ...textsIn(args)] }),
    ...(isJsonObject(env) ? { env: namedTextsIn(env) } : {}),
    ...(typeof cwd === 'string' ? { cwd } : {}),
    ...(url !== undefined && typeof program !== 'string' ? { url } : {}),
    ...(isJsonObject(headers) ? { headers: namedTextsIn(headers) } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  };
};

/** Returns a name that pi accepts. */
const nameOf = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 128);

/** Returns the MCP servers in JSON for other programs, or a sentence that says what is wrong. */
export const readSnippet = (text: string): readonly PastedEntry[] | string => {
  const value = objectIn(text);
  if (!value) return words.notJson;
  const servers = serversIn(value);
  if (servers.length === 0) return words.noServer;
  return servers.map(([name, entry]) => ({
    name: nameOf(name),
    value: asPi(entry),
    leftOut: Object.entries(entry).flatMap(([key, each]) =>
      READ.has(key) || (key === 'type' && TYPES.has(each)) ? [] : [key],
    ),
  }));
};
