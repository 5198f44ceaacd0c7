import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  modelKind,
  overrideKind,
  PROVIDER,
  removalOf,
} from '../../src/renderer/src/features/pi-models/entry-kinds.ts';
import { entryChange, entryIn } from '../../src/renderer/src/json-form/entry-kind.ts';
import { listEdits, valueAt } from '../../src/renderer/src/json-form/fields.ts';
import type { JsonFile } from '../../src/shared/api/json-files.ts';
import type { AgentModels } from '../../src/shared/api/pi-models.ts';
import { parseJson } from '../../src/shared/json-document.ts';
import type { JsonEdit, JsonPath } from '../../src/shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../src/shared/json-object.ts';
import { serveOperator as serve } from './as-operator.ts';
import { type Edited, editFile, undoEdits } from './json-edits.ts';
import { makeRoot } from './root.ts';
import type { ServeOptions } from './server.ts';

/** The route of the models of scout. */
export const ROUTE = '/api/agents/scout/models';
const FILE = 'agents/scout/models.json';

/** Written by hand, with comments, keys that nobody knows, and several on a line. */
export const ODD = `\uFEFF{\r
\t// Only for me.\r
\t"mine": [1,2,   3],\r
\t"providers": {\r
\t\t"local" : { // Runs at home\r
\t\t\t"baseUrl": "http://127.0.0.1:8080/v1", "api": "openai-completions",\r
\t\t\t"apiKey": "Zq4T8vW1nB6x",\r
\t\t\t"future": {"b":1},\r
\t\t\t"models": [\r
\t\t\t\t// The small one\r
\t\t\t\t{ "id": "qwen", "contextWindow": 32e3, "compat": { "supportsStore": false } },\r
\t\t\t\t{ "id": "glm/4.5:free", "cost": {"input": 1,"output":2, "cacheRead": 0, "cacheWrite": 0 }, }, // Last\r
\t\t\t],\r
\t\t},\r
\t\t"openai": { "modelOverrides": { "gpt-5.4": { "maxTokens": 9000, "later": true } } }, // Overrides\r
\t},\r
\t"last": null // The end\r
}`;

/** What happens to one provider, model or override. */
export interface ModelsChange {
  readonly provider: string;
  readonly model?: string;
  readonly override?: string;
  readonly newId?: string;
  /** Its fields. Null removes a field. Instead of all fields, null removes the entry. */
  readonly change: JsonObject | null;
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function* fieldEdits(path: JsonPath, before: unknown, value: unknown): Generator<JsonEdit> {
  if (value === null) yield { path };
  else if (Array.isArray(value) && Array.isArray(before)) yield* listEdits(path, before, value);
  else if (isJsonObject(value) && isJsonObject(before))
    for (const [key, each] of Object.entries(value)) yield* fieldEdits([...path, key], before[key], each);
  else yield { path, value: isJsonObject(value) ? withoutNulls(value) : value };
}

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));

/** The edits that change one entry, where the page makes them. */
export const editsOf = (text: string, request: ModelsChange): JsonEdit[] => {
  const { provider, model, override, newId, change } = request;
  const { value } = parseJson(text, { comments: true });
  const file = { value, hidden: [] } as unknown as JsonFile;
  const kind =
    model !== undefined ? modelKind(provider) : override !== undefined ? overrideKind(provider) : PROVIDER;
  const name = model ?? override ?? provider;
  const unchanged: JsonEdit = { path: ['providers', provider, 'nothing'] };
  if (change === null) {
    const edits = removalOf(kind, file, name);
    return edits.length > 0 ? edits : [unchanged];
  }
  const fields =
    isJsonObject(change.cost) &&
    model !== undefined &&
    !isJsonObject(valueAt(entryIn(kind, file, name).value, ['cost']))
      ? { ...change, cost: { ...FREE, ...change.cost } }
      : change;
  const none = { choice: undefined, drafts: {}, file };
  const entry = entryIn(kind, file, name);
  if (entry.path.length === 0) {
    // It can't get another id.
    if (newId !== undefined) return [{ path: [...kind.parent, name], rename: newId }];
    const [added] = entryChange(kind, { ...none, oldName: null, name });
    const whole = (made: unknown) => ({ ...(made as object), ...withoutNulls(fields) });
    return added
      ? [
          {
            path: added.path,
            value: Array.isArray(added.value) ? added.value.map(whole) : whole(added.value),
          },
        ]
      : [];
  }
  const renaming = newId === undefined ? [] : entryChange(kind, { ...none, oldName: name, name: newId });
  const edits = isJsonObject(valueAt(value, entry.path))
    ? Object.entries(fields).flatMap(([key, each]) => [
        ...fieldEdits([...entry.path, key], entry.value[key], each),
      ])
    : [{ path: entry.path, value: withoutNulls(fields) }];
  return edits.length + renaming.length > 0 ? [...edits, ...renaming] : [unchanged];
};

/** A server with this models.json. */
export const serveModels = async (text?: string, options: ServeOptions = {}) => {
  const rootPath = await makeRoot(text === undefined ? {} : { [FILE]: text });
  const server = await serve(rootPath, options);
  const path = join(rootPath, FILE);
  return {
    ...server,
    rootPath,
    path,
    text: () => readFile(path, 'utf8'),
    list: async (): Promise<AgentModels> => (await server.call('GET', ROUTE)).body,
    edit: (edits: readonly JsonEdit[], more: object = {}) =>
      editFile(server, { json: 'models.json', edits, ...more }),
    change: async (change: ModelsChange, more: object = {}) => {
      const before = await readFile(path, 'utf8').catch(() => '{}');
      return editFile(server, { json: 'models.json', edits: editsOf(before, change), ...more });
    },
    undo: (made: Pick<Edited, 'change'>) => undoEdits(server, made),
  };
};
