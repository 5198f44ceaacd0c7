import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentModels } from '../../src/shared/api/pi-models.ts';
import { serveOperator as serve } from './as-operator.ts';
import { makeRoot } from './root.ts';
import type { Answer, ServeOptions } from './server.ts';

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
    change: (body: object, headers: Record<string, string> = {}) =>
      server.asOperator('PUT', ROUTE, body, headers),
    undo: ({ headers }: Answer) => server.asOperator('POST', `/api/changes/${headers.get('change-id')}/undo`),
  };
};
