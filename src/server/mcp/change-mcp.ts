import { isDeepStrictEqual } from 'node:util';
import { parseMcpFile, readMcpConfig } from '../../pi/mcp.ts';
import { isOnlyVariables, isSecretName, type McpPath } from '../../pi/mcp-secrets.ts';
import type { McpServerChange } from '../../shared/api/mcp.ts';
import { mcpNameSchema } from '../../shared/api/names.ts';
import {
  changesOfEdits,
  editJson,
  isTypedIn,
  type JsonChange,
  type JsonEdit,
  JsonEditError,
} from '../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';
import { AppError } from '../platform/app-error.ts';
import { groupChanges, isHidden } from '../platform/form-values.ts';
import { keptSecretIn, keptSecretSentence } from '../platform/kept-secrets.ts';
import { quoted } from '../platform/words.ts';

/** A requested change to an mcp.json. */
export interface McpChange {
  readonly name: string;
  readonly newName?: string | undefined;
  /** Null removes the server. */
  readonly server: McpServerChange | null;
}

const EMPTY = '{\n  "mcpServers": {}\n}\n';

const refuse = (message: string) => new AppError('mcp_server_refused', message);

const nothingToKeep = (place: string) =>
  refuse(
    `There is no saved value at ${quoted(place)} to keep. Reload the list of servers, or send the value itself.`,
  );

/** The order of fields in a new entry. */
const ORDER = [
  ...(['command', 'args', 'cwd', 'env', 'url', 'headers'] as const),
  ...(['description', 'exposure', 'timeout', 'enabled'] as const),
] as const;

const GROUPS = ['env', 'headers'] as const;

/** Returns the arguments, with unchanged ones filled in from the old list. */
const argsWith = (old: unknown, args: NonNullable<McpServerChange['args']>): unknown[] => {
  const before: readonly unknown[] = Array.isArray(old) ? old : [];
  return args.map((arg, at) => {
    if (typeof arg === 'string') return arg;
    const index = arg.index ?? at;
    if (index >= before.length) throw nothingToKeep(`args.${index}`);
    return before[index];
  });
};

/** Yields the changes to an existing server's fields. */
function* fieldChanges(
  path: readonly string[],
  old: JsonObject,
  change: McpServerChange,
): Generator<JsonChange> {
  for (const key of ORDER) {
    const value = change[key];
    const at = [...path, key];
    if (value === undefined) continue;
    if (key === 'env' || key === 'headers')
      yield* groupChanges(at, old[key], value as JsonObject, nothingToKeep);
    else if (isHidden(value)) {
      if (old[key] === undefined) throw nothingToKeep(key);
    } else if (value === null) yield { path: at, remove: true };
    // Like pi, remove `enabled` when it's true.
    else if (key === 'enabled') yield* old.enabled === value ? [] : [enabledChange(at, value === true)];
    else yield { path: at, set: key === 'args' ? argsWith(old.args, change.args ?? []) : value };
  }
  const { type } = old;
  const [hasCommand, hasUrl] = (['command', 'url'] as const).map((key) =>
    change[key] === undefined ? typeof old[key] === 'string' : change[key] !== null,
  );
  // If the transport changes, the old `type` is wrong.
  if (type !== undefined && (type === 'stdio' ? !hasCommand && hasUrl : !hasUrl && hasCommand))
    yield { path: [...path, 'type'], remove: true };
}

const enabledChange = (path: readonly string[], isOn: boolean): JsonChange =>
  isOn ? { path, remove: true } : { path, set: false };

/** Returns the fields of a new server. */
const newEntry = (change: McpServerChange): JsonObject => {
  const entries = ORDER.flatMap((key): [string, unknown][] => {
    const value = change[key];
    if (value === undefined || value === null || (key === 'enabled' && value === true)) return [];
    if (isHidden(value)) throw nothingToKeep(key);
    if (key === 'args') return [[key, argsWith([], change.args ?? [])]];
    if (!GROUPS.some((group) => group === key)) return [[key, value]];
    const group = Object.entries(value as JsonObject).filter(([, each]) => each !== null);
    const hidden = group.find(([, each]) => isHidden(each));
    if (hidden) throw nothingToKeep(`${key}.${hidden[0]}`);
    return group.length === 0 ? [] : [[key, Object.fromEntries(group)]];
  });
  return Object.fromEntries(entries);
};

const refusedIn = (text: string) => readMcpConfig([{ text, isProject: false }]).refused;

/** Refuses a change if it would make pi skip a new server, or one that it accepted before. */
const checkResult = (before: string, after: string, { name, newName }: McpChange): void => {
  const known = refusedIn(before);
  for (const [refusedName, { message }] of refusedIn(after)) {
    const earlier = refusedName === newName ? name : refusedName;
    if (!known.has(earlier)) throw refuse(`${quoted(refusedName)}: ${message}`);
  }
};

const edit = (text: string, changes: readonly JsonChange[]): string => {
  try {
    return editJson(text, changes);
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw new AppError(
      'mcp_unreadable',
      'mcp.json can’t be changed here, because it is too large or nested too deeply. Edit it in another program.',
      {},
      error,
    );
  }
};

const parsedOrRefused = (text: string) => {
  const parsed = parseMcpFile(text);
  if (parsed) return parsed;
  throw new AppError(
    'mcp_unreadable',
    'mcp.json is not valid JSON, or its "mcpServers" is not an object. So pi ignores the file, and dot-mi doesn’t change it. Correct it in another program.',
  );
};

const serverExists = (name: string) =>
  new AppError('mcp_server_exists', `mcp.json already has a server ${quoted(name)}. Choose another name.`);

/** Returns a server's entry as written. Undefined if it doesn't exist. Throws `mcp_unreadable`. */
export const serverIn = (text: string, name: string): { readonly entry: unknown } | undefined => {
  const { servers } = parsedOrRefused(text);
  return Object.hasOwn(servers, name) ? { entry: servers[name] } : undefined;
};

const withoutSwitch = (entry: unknown): unknown => {
  if (!isJsonObject(entry)) return entry;
  const { enabled: _, ...others } = entry;
  return others;
};

/**
 * Returns an mcp.json with an entry added and switched on. An equal entry stays as it is. An undefined `text` means
 * that the file is missing.
 *
 * Throws `mcp_server_exists` if a different entry has the name, `mcp_unreadable` and `mcp_server_refused`.
 */
export const withEntry = (text: string | undefined, name: string, entry: unknown): string => {
  const before = text ?? EMPTY;
  const found = serverIn(before, name);
  const added = withoutSwitch(entry);
  if (found && isDeepStrictEqual(withoutSwitch(found.entry), added)) return before;
  if (found)
    throw new AppError(
      'mcp_server_exists',
      `mcp.json already has a different server named ${quoted(name)}, which was not replaced. Remove or rename it first.`,
    );
  const after = edit(before, [{ path: ['mcpServers', name], set: added }]);
  checkResult(before, after, { name, server: null });
  return after;
};

/**
 * Returns what decides where a server's values go. Text in its variables counts too, because a program can read an
 * address or code from it. Variables that are secrets by their names don't.
 */
const destinationOf = (entry: unknown): unknown => {
  const { command, args, cwd, url, type, env } = isJsonObject(entry) ? entry : {};
  const variables = Object.entries(isJsonObject(env) ? env : {}).filter(
    ([name, value]) => !isSecretName(name) && !(typeof value === 'string' && isOnlyVariables(value)),
  );
  return { command, args, cwd, url, type, env: Object.fromEntries(variables) };
};

/** Refuses a change of a server's destination that keeps values which the API hides, unless they're typed again. */
const requireSecretsAgain = (old: unknown, after: unknown, isTyped: (path: McpPath) => boolean): void => {
  if (isDeepStrictEqual(destinationOf(old), destinationOf(after))) return;
  const place = keptSecretIn(after, isTyped);
  if (place !== undefined)
    throw refuse(keptSecretSentence('This changes where the server’s values go', place));
};

/** Returns whether a change contains the value at a path of its server. */
const isTypedInChange =
  ({ env, headers, args }: McpServerChange) =>
  ([group, key = '']: McpPath): boolean => {
    if (group === 'args') return typeof args?.[Number(key)] === 'string';
    const sent = group === 'env' ? env : group === 'headers' ? headers : undefined;
    return typeof sent?.[key] === 'string';
  };

const requireNewName = (name: string): void => {
  const { error } = mcpNameSchema.safeParse(name);
  if (error) throw refuse(error.issues[0]?.message ?? 'The name is not valid. Choose another name.');
};

/**
 * Returns an mcp.json with values set or removed by their paths. Every other byte stays the same. Throws `mcp_unreadable`
 * and `mcp_server_refused`.
 */
export const editedMcp = (text: string | undefined, edits: readonly JsonEdit[]): string => {
  const before = text ?? EMPTY;
  const { servers } = parsedOrRefused(before);
  const after = edit(before, changesOfEdits(edits));
  checkResult(before, after, { name: '', server: null });
  for (const [name, entry] of Object.entries(parsedOrRefused(after).servers)) {
    if (!Object.hasOwn(servers, name)) requireNewName(name);
    else if (isJsonObject(servers[name]))
      requireSecretsAgain(servers[name], entry, (path) => isTypedIn(edits, ['mcpServers', name, ...path]));
  }
  return after;
};

/**
 * Returns an mcp.json with one server changed, added or removed. Every other byte stays the same. An undefined `text`
 * means that the file is missing.
 *
 * Throws `mcp_unreadable`, `mcp_server_refused`, `mcp_server_exists` and `mcp_server_not_found`.
 */
export const changedMcp = (text: string | undefined, change: McpChange): string => {
  const { name, newName, server } = change;
  const before = text ?? EMPTY;
  const parsed = parsedOrRefused(before);
  const path = ['mcpServers', name];
  const isThere = Object.hasOwn(parsed.servers, name);
  const old = isThere ? parsed.servers[name] : undefined;
  if (!isThere && (server === null || newName !== undefined))
    throw new AppError(
      'mcp_server_not_found',
      `mcp.json has no server ${quoted(name)}. Reload the list of servers.`,
    );
  if (server === null) return edit(before, [{ path, remove: true }]);
  if (newName !== undefined && newName !== name && Object.hasOwn(parsed.servers, newName))
    throw serverExists(newName);
  if (!isThere) requireNewName(name);
  const changes: JsonChange[] = isJsonObject(old)
    ? [...fieldChanges(path, old, server)]
    : isThere && Object.keys(server).length === 0
      ? []
      : [{ path, set: newEntry(server) }];
  if (newName !== undefined && newName !== name) changes.push({ path, rename: newName });
  const after = edit(before, changes);
  checkResult(before, after, change);
  if (isJsonObject(old))
    requireSecretsAgain(old, serverIn(after, newName ?? name)?.entry, isTypedInChange(server));
  return after;
};
