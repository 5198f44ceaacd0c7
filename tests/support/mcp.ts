import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentMcp } from '../../src/shared/api/mcp.ts';
import { serveOperator as serve } from './as-operator.ts';
import { makeRoot } from './root.ts';
import type { Answer } from './server.ts';

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

/** A server with this mcp.json. */
export const serveMcp = async (text?: string) => {
  const rootPath = await makeRoot(text === undefined ? {} : { [FILE]: text });
  const server = await serve(rootPath);
  const path = join(rootPath, FILE);
  return {
    ...server,
    path,
    text: () => readFile(path, 'utf8'),
    list: async (): Promise<AgentMcp> => (await server.call('GET', ROUTE)).body,
    change: (body: object, headers: Record<string, string> = {}) =>
      server.asOperator('PUT', ROUTE, body, headers),
    undo: ({ headers }: Answer) => server.asOperator('POST', `/api/changes/${headers.get('change-id')}/undo`),
  };
};
