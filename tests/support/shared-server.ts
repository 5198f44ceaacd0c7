import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { type KeptLog, keepLog } from './kept-log.ts';
import { plant, SMALL_ROOT, type Tree } from './plant.ts';
import { makeRoot } from './root.ts';
import { plantInstallationKey, type ServeOptions, serve, startServing, type TestServer } from './server.ts';
import { makeSharedDirectory } from './temp.ts';

/**
 * `makeRoot` and `serve` for the tests of a file, which share one root and one server: to start a server and its threads
 * takes longer than most of what is tested. Each test finds the root as new. What the server keeps elsewhere (keys,
 * drafts, the wallet, what can be undone) stays, so tests of that start a server of their own, and so do those with
 * options. With `asOperator`, `call` sends the operator token, as the page does.
 */
export const shareServer = ({ asOperator = false } = {}) => {
  let log: KeptLog | undefined;
  let isRootTaken = false;
  let shared: Promise<{ root: string; server: TestServer }> | undefined;
  const ends: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  const start = async () => {
    const { directory, remove } = await makeSharedDirectory();
    ends.push(remove);
    const root = join(directory, 'root');
    await mkdir(root);
    const dataDirectory = join(directory, 'own');
    await plantInstallationKey(dataDirectory);
    const server = await startServing(root, {
      dataDirectory,
      logLines: { write: (line) => void log?.write(line) },
    });
    ends.push(server.close);
    return { root, server };
  };

  return {
    async makeRoot(more: Tree = {}): Promise<string> {
      if (isRootTaken) return makeRoot(more);
      isRootTaken = true;
      log = keepLog('server');
      onTestFinished(() => {
        isRootTaken = false;
      });
      shared ??= start();
      const { root } = await shared;
      for (const name of await readdir(root)) await rm(join(root, name), { recursive: true });
      await plant(root, { ...SMALL_ROOT, ...more });
      return root;
    },
    async serve(root: string, options?: ServeOptions): Promise<TestServer> {
      const own = await shared;
      const server = own && own.root === root && !options ? own.server : await serve(root, options);
      return asOperator ? { ...server, call: server.asOperator } : server;
    },
  };
};
