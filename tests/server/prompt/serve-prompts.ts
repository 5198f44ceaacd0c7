import { makeRoot, type Tree } from '../../support/root.ts';
import { type ServeOptions, serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** A server for a root at this path or with this content, a home directory, and a client for the prompts of the agent. */
export const servePrompts = async (tree: Tree | string = {}, options: ServeOptions = {}) => {
  const home = await makeTempDirectory();
  const server = await serve(typeof tree === 'string' ? tree : await makeRoot(tree), {
    ...options,
    environment: { HOME: home, ...options.environment },
  });
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  return {
    ...server,
    home,
    operator,
    /** As anybody. */
    prompt: (query: Record<string, string> = {}, headers: Record<string, string> = {}) =>
      server.call('GET', `/api/agents/scout/prompt?${new URLSearchParams(query)}`, undefined, headers),
  };
};
