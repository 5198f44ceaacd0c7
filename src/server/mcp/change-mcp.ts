import { isDeepStrictEqual } from 'node:util';
import { parseMcpFile, readMcpConfig } from '../../pi/mcp.ts';
import { isOnlyVariables, isSecretName } from '../../pi/mcp-secrets.ts';
import { mcpNameSchema } from '../../shared/api/names.ts';
import {
  changesOfEdits,
  editJson,
  type JsonChange,
  type JsonEdit,
  JsonEditError,
  renamesIn,
  typedTexts,
} from '../../shared/json-edit.ts';
import { isJsonObject } from '../../shared/json-object.ts';
import { AppError } from '../platform/app-error.ts';
import { keptSecretIn, keptSecretSentence } from '../platform/kept-secrets.ts';
import { quoted } from '../platform/words.ts';

const EMPTY = '{\n  "mcpServers": {}\n}\n';

const refuse = (message: string) => new AppError('mcp_server_refused', message);

const refusedIn = (text: string) => readMcpConfig([{ text, isProject: false }]).refused;

/** Refuses a change if it would make pi skip a new server, or one that it accepted before. */
const checkResult = (before: string, after: string, earlierOf: (name: string) => string): void => {
  const known = refusedIn(before);
  for (const [name, { message }] of refusedIn(after))
    if (!known.has(earlierOf(name))) throw refuse(`${quoted(name)}: ${message}`);
};

const edit = (text: string, changes: readonly JsonChange[]): string => {
  try {
    return editJson(text, changes);
  } catch (error) {
    if (!(error instanceof JsonEditError)) throw error;
    throw new AppError(
      'mcp_unreadable',
      'mcp.json can’t be changed here, because it is too large or has another kind of value where pi expects an object or a list. Edit it in another program.',
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
  checkResult(before, after, (each) => each);
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
const requireSecretsAgain = (old: unknown, after: unknown, typed: ReadonlySet<unknown>): void => {
  if (isDeepStrictEqual(destinationOf(old), destinationOf(after))) return;
  const place = keptSecretIn(after, typed);
  if (place !== undefined)
    throw refuse(keptSecretSentence('This changes where the server’s values go', place));
};

const requireNewName = (name: string): void => {
  const { error } = mcpNameSchema.safeParse(name);
  if (error) throw refuse(error.issues[0]?.message ?? 'The name is not valid. Choose another name.');
};

const SERVERS = ['mcpServers'] as const;

/** Returns the earlier names of renamed servers. Throws `mcp_server_not_found` and `mcp_server_exists`. */
const earlierNames = (
  servers: Readonly<Record<string, unknown>>,
  edits: readonly JsonEdit[],
): ReadonlyMap<string, string> => {
  const renames = renamesIn(edits, SERVERS);
  if (edits.filter(({ rename }) => rename !== undefined).length !== renames.size)
    throw refuse('Only a server can get another name, and only one.');
  for (const [name, newName] of renames) {
    if (!Object.hasOwn(servers, name))
      throw new AppError(
        'mcp_server_not_found',
        `mcp.json has no server ${quoted(name)}. Reload the list of servers.`,
      );
    if (newName !== name && Object.hasOwn(servers, newName))
      throw new AppError(
        'mcp_server_exists',
        `mcp.json already has a server ${quoted(newName)}. Choose another name.`,
      );
  }
  return new Map(Array.from(renames, ([name, newName]) => [newName, name]));
};

/**
 * Returns an mcp.json with these edits. Every other byte stays the same. An undefined `text` means that the file is
 * missing.
 *
 * Throws `mcp_unreadable`, `mcp_server_refused`, `mcp_server_exists` and `mcp_server_not_found`.
 */
export const editedMcp = (text: string | undefined, edits: readonly JsonEdit[]): string => {
  const before = text ?? EMPTY;
  const { servers } = parsedOrRefused(before);
  const earlier = earlierNames(servers, edits);
  const earlierOf = (name: string): string => earlier.get(name) ?? name;
  const after = edit(before, changesOfEdits(edits.filter(({ path, rename }) => rename !== path.at(-1))));
  checkResult(before, after, earlierOf);
  const typed = typedTexts(edits);
  for (const [name, entry] of Object.entries(parsedOrRefused(after).servers)) {
    const old = earlierOf(name);
    if (!Object.hasOwn(servers, name)) requireNewName(name);
    if (Object.hasOwn(servers, old) && isJsonObject(servers[old]))
      requireSecretsAgain(servers[old], entry, typed);
  }
  return after;
};
