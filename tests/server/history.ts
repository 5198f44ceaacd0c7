import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createJournal, journalPath, type NewSet } from '../../src/server/changes/journal.ts';
import type { Change, ChangeDetail, ChangeResult } from '../../src/shared/api/changes.ts';
import { makeRoot, type Tree } from '../support/root.ts';
import { type ServeOptions, serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** Starts a server of a root, with short names for what tests of its history do. */
export const serveChanges = async (root: string, options?: ServeOptions) => {
  const server = await serve(root, options);
  const { asOperator } = server;
  const list = async (query = '') => (await asOperator('GET', `/api/changes${query}`)).body.changes;
  return {
    root,
    server,
    asOperator,
    list,
    text: (name: string, agent = 'scout') => readFile(join(root, 'agents', agent, name), 'utf8'),
    write: (name: string, content: string, headers?: Record<string, string>) =>
      asOperator('PUT', '/api/agents/scout/file', { path: name, content }, headers),
    undo: (id: string | null, call: TestServer['call'] = asOperator) =>
      call('POST', `/api/changes/${id}/undo`),
    get: async (id: string): Promise<ChangeDetail> => (await asOperator('GET', `/api/changes/${id}`)).body,
  };
};

/** {@link serveChanges} with a new root. */
export const startChanges = async (tree: Tree = {}, options?: ServeOptions) =>
  serveChanges(await makeRoot(tree), options);

/** Plans a change set as a server does before its first write, and ends as if it was killed then. */
export const planChanges = async (items: NewSet['items'], tree: Tree = {}) => {
  const root = await makeRoot(tree);
  const dataDirectory = await makeTempDirectory();
  const { asOperator, server } = await serveChanges(root, { dataDirectory });
  const { rootId } = (await asOperator('GET', '/api/health')).body;
  await server.close();
  const journal = createJournal(journalPath(dataDirectory, rootId), Date, console);
  const set = await journal.begin({ by: { kind: 'operator' }, label: 'Interrupted', items });
  await set?.recorded;
  return { root, dataDirectory, id: set?.id ?? '' };
};

/** The id of the change that a response names. */
export const changeOf = ({ headers }: { headers: Headers }) => headers.get('change-id');

/** Looks in the background at what other programs changed. */
export const SOON = { firstMs: 0, quietMs: 150, everyMs: 100 };

/** Only what a test asks for looks at an agent. */
export const ON_REQUEST = { firstMs: 1e6, quietMs: 0, everyMs: 1e6 };

/** {@link serveChanges} for tests in which another program changes the agent scout, too. */
export const servePrograms = async (root: string, options: ServeOptions) => {
  const { list: listAny, undo, write, ...served } = await serveChanges(root, options);
  const list = async (query = ''): Promise<Change[]> => listAny(query);
  return {
    ...served,
    list,
    save: write,
    undo: async (id: string): Promise<ChangeResult> => (await undo(id)).body,
    path: (name: string) => join(root, 'agents/scout', name),
    edit: (name: string, text: string) => writeFile(join(root, 'agents/scout', name), text),
    /** Waits until dot-mi has seen the agent. */
    seen: async () => {
      await list('?agent=scout');
    },
  };
};

/** {@link servePrograms} with a new root. */
export const startPrograms = async (tree: Tree = {}, options: ServeOptions = { lookTimes: ON_REQUEST }) =>
  servePrograms(await makeRoot(tree), options);

/** Who made each change, and what it changed. */
export const briefly = (changes: readonly Change[]) => changes.map(({ by, summary }) => [by.kind, summary]);
