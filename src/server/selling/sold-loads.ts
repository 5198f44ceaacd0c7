import { createHash, hash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { NEWEST_PI } from '../../pi/flags.ts';
import { parsePiArguments } from '../../pi/pi-args.ts';
import { isJsonObject, jsonObjectOf } from '../../shared/json-object.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { systemCode } from '../platform/app-error.ts';
import { listInCopy, readInCopy } from '../platform/private-copy.ts';
import { readOwnFile } from '../platform/private-files.ts';

/** The longest value that is shown. */
const MOST_SHOWN = 200;
/** The hexadecimal digits of a long value's hash that are shown. */
const SHOWN_HASH = 16;

/** Calls `visit` with each text in a JSON value and the name of its field. */
const visitTexts = (value: unknown, visit: (text: string, field: string) => void, field = ''): void => {
  if (typeof value === 'string') visit(value, field);
  else if (Array.isArray(value)) for (const item of value) visitTexts(item, visit, field);
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) visitTexts(item, visit, name);
};

/** Returns the object in a JSON text, null if it isn't one, and an empty object without a text. */
const objectIn = (text: string | undefined): Record<string, unknown> | null => {
  const json = text?.replace(/^\uFEFF/, '') ?? '';
  if (json.trim() === '') return {};
  try {
    const value = parseShallowJson(json);
    return jsonObjectOf(value) ?? null;
  } catch {
    return null;
  }
};

/** Returns the text of the agent's sign-ins. Undefined if there are none, or if others could have written it. */
const readSignIns = async (directory: string): Promise<string | undefined> => {
  try {
    return await readOwnFile(await realpath(join(directory, 'auth.json')));
  } catch {
    // Each run checks whether others can replace it.
    return undefined;
  }
};

/** Shortens a text. Two long texts that begin the same stay different. */
const shown = (text: string): string =>
  text.length > MOST_SHOWN
    ? `${text.slice(0, MOST_SHOWN)}… (${hash('sha256', text).slice(0, SHOWN_HASH)})`
    : text;

/** Returns the hash of a file. Undefined for a directory. */
const hashOf = (path: string): Promise<string | undefined> =>
  readInCopy(path).then(
    (text) =>
      createHash('sha256')
        .update(text ?? '')
        .digest('hex'),
    (error: unknown) => {
      if (systemCode(error) === 'EISDIR') return undefined;
      throw error;
    },
  );

/** Returns the hashes of the files in a directory, one level deep. */
const hashesIn = async (directory: string): Promise<ReadonlySet<string | undefined>> =>
  new Set(await Promise.all((await listInCopy(directory)).map((name) => hashOf(join(directory, name)))));

const sourceOf = (entry: unknown): string | undefined => {
  if (typeof entry === 'string') return entry;
  return isJsonObject(entry) && typeof entry.source === 'string' ? entry.source : undefined;
};

const listIn = (settings: Record<string, unknown>, name: string): string[] => {
  const list = settings[name];
  return Array.isArray(list) ? list.flatMap((entry) => sourceOf(entry) ?? []) : [];
};

/** Adds what the texts in a file run as commands, and where they send others. */
const addTexts = (loads: Set<string>, name: string, value: unknown): void =>
  visitTexts(value, (text, field) => {
    if (text.startsWith('!')) loads.add(`command in ${name}: ${shown(text.slice(1))}`);
    else if (field === 'baseUrl') loads.add(`model server ${shown(text)}`);
    else if (field === 'npmCommand') loads.add(`npm command ${shown(text)}`);
  });

/** Returns what an agent's sign-ins load, as {@link loadsOf} does. They aren't in the copy, because pi refreshes them. */
export const signInLoadsOf = async (liveDirectory: string): Promise<string[]> => {
  const loads = new Set<string>();
  addTexts(loads, 'auth.json', objectIn(await readSignIns(liveDirectory)) ?? {});
  return [...loads];
};

/** Other places that decide what an agent loads. */
interface LoadPlaces {
  /** The directory of dot-mi's own extensions. */
  readonly ownExtensions: string;
  /** The agent's directory in the root, where its sign-ins stay. */
  readonly liveDirectory: string;
}

/**
 * Returns what the private copy of an agent loads that runs code, or sends a customer's text to another place than its provider: one phrase
 * for each extension, package, MCP server, command and address. dot-mi's own extensions
 * aren't named while they are unchanged.
 */
export const loadsOf = async (
  copy: string,
  agent: string,
  { ownExtensions, liveDirectory }: LoadPlaces,
): Promise<string[]> => {
  const directory = join(copy, 'agents', agent);
  const args = parsePiArguments((await readInCopy(join(directory, 'pi-args'))) ?? '', NEWEST_PI);
  const ownHashes = await hashesIn(ownExtensions);
  const loads = new Set<string>();
  const read = async (name: string) => {
    const value = objectIn(await readInCopy(join(directory, name)));
    // pi accepts comments, so it may read a file that dot-mi can't.
    if (value === null) loads.add(`${name}, which dot-mi can’t read`);
    return value ?? {};
  };
  const settings = await read('settings.json');
  const models = await read('models.json');
  const { mcpServers } = await read('mcp.json');

  const extensions = join(directory, 'extensions');
  for (const name of args.noExtensions ? [] : await listInCopy(extensions)) {
    const hash = await hashOf(join(extensions, name));
    // A directory has several files, so it is named, also if it's dot-mi's own.
    if (!name.startsWith('.') && (hash === undefined || !ownHashes.has(hash))) loads.add(`extension ${name}`);
  }
  for (const name of args.extensions) loads.add(`extension ${shown(name)}`);
  if (!args.noExtensions)
    for (const name of listIn(settings, 'extensions')) loads.add(`extension ${shown(name)}`);
  for (const name of listIn(settings, 'packages')) loads.add(`package ${shown(name)}`);
  if (!args.noMcp && isJsonObject(mcpServers))
    for (const [name, server] of Object.entries(mcpServers)) {
      const { command, url } = isJsonObject(server) ? server : {};
      const target = typeof url === 'string' ? url : typeof command === 'string' ? command : 'unknown';
      loads.add(`MCP server ${shown(name)} (${shown(target)})`);
    }
  addTexts(loads, 'models.json', models);
  addTexts(loads, 'settings.json', settings);
  return [...loads, ...(await signInLoadsOf(liveDirectory))];
};
