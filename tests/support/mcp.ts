import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverSwitch } from '../../src/pi/mcp-edits.ts';
import type { AgentMcp } from '../../src/shared/api/mcp.ts';
import type { JsonEdit } from '../../src/shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../src/shared/json-object.ts';
import { serveOperator as serve } from './as-operator.ts';
import { type Edited, editFile, undoEdits } from './json-edits.ts';
import { makeRoot } from './root.ts';

/** The route of the MCP servers of scout. */
export const ROUTE = '/api/agents/scout/mcp';
const FILE = 'agents/scout/mcp.json';

/** Written by hand, with keys that nobody knows. */
export const ODD = `{
\t"other" : [1,2,   3],
\t"mcpServers": {
\t\t"a":   {"command": "x" , "future": {"b":1}, "env": {"K": "secret", "V":"$V"} },
\t\t"my docs": { "command": "kept", "args": [ "--token=Zq4T8vW1nB6x", "b" ] },
\t\t"z": { "enabled": true, "type": "stdio", "command": "z" }
\t}, "last": null}`;

/** What happens to one server. Null removes a field, a variable or a header. */
export interface ServerChange {
  readonly name: string;
  readonly newName?: string;
  /** Null removes the server. */
  readonly server: JsonObject | null;
}

const parsed = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isJsonObject(value.mcpServers) ? value.mcpServers : {};
  } catch {
    return {};
  }
};

function* fieldEdits(path: readonly string[], before: unknown, value: unknown): Generator<JsonEdit> {
  if (value === null) yield { path };
  else if (!isJsonObject(value)) yield { path, value };
  else if (!isJsonObject(before)) yield { path, value };
  else if ([...Object.keys(before), ...Object.keys(value)].every((key) => value[key] === null))
    yield { path };
  else for (const [key, each] of Object.entries(value)) yield* fieldEdits([...path, key], before[key], each);
}

/** The edits that change one server, as the page makes them. */
export const editsOf = (text: string, { name, newName, server }: ServerChange): JsonEdit[] => {
  const path = ['mcpServers', name];
  if (server === null) return [{ path }];
  const servers = parsed(text);
  const old = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const renaming = newName === undefined ? [] : [{ path, rename: newName }];
  const { enabled, ...fields } = server;
  if (!isJsonObject(old)) {
    const value = { ...fields, ...(enabled === false ? { enabled } : {}) };
    return newName !== undefined ? renaming : [{ path, value }];
  }
  const edits = [
    ...Object.entries(fields).flatMap(([key, value]) => [...fieldEdits([...path, key], old[key], value)]),
    // Like pi, the page removes it when it's true.
    ...(enabled === undefined || enabled === (old.enabled ?? true)
      ? []
      : [serverSwitch(name, enabled === true)]),
    ...renaming,
  ];
  // One that changes nothing.
  return edits.length > 0 ? edits : [{ path: [...path, 'nothing'] }];
};

/** A server with this mcp.json. */
export const serveMcp = async (text?: string) => {
  const rootPath = await makeRoot(text === undefined ? {} : { [FILE]: text });
  const server = await serve(rootPath);
  const path = join(rootPath, FILE);
  return {
    ...server,
    rootPath,
    path,
    text: () => readFile(path, 'utf8'),
    list: async (): Promise<AgentMcp> => (await server.call('GET', ROUTE)).body,
    edit: (edits: readonly JsonEdit[], more: object = {}) =>
      editFile(server, { json: 'mcp.json', edits, ...more }),
    change: async (change: ServerChange, more: object = {}) => {
      const before = await readFile(path, 'utf8').catch(() => '{}');
      return editFile(server, { json: 'mcp.json', edits: editsOf(before, change), ...more });
    },
    undo: (made: Pick<Edited, 'change'>) => undoEdits(server, made),
  };
};
