import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, fromSystemError } from '../../src/server/platform/app-error.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { parseModels } from '../../src/server/pricing/parse-models.ts';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import { createRootViews } from '../../src/server/workers/root-views.ts';
import { LINK_KINDS } from '../../src/shared/api/names.ts';
import { etagOf } from './etag.ts';

/** Creates the views of a root, as the disk thread does. */
export const rootViews = (path: string, { home = path, modelNames = [] as readonly string[] } = {}) =>
  createRootViews({ root: createRoot(path), etagOf }, { homeDirectory: home, modelNames: () => modelNames });

/** Reads what each list of the API says from disk, without any memory of what was read before. */
export const freshScans = (
  path: string,
  { home, modelsPath }: { home: string; modelsPath: string },
): Readonly<Record<string, () => unknown>> => {
  const { models } = parseModels(readFileSync(modelsPath, 'utf8'));
  type Views = ReturnType<typeof rootViews>['views'];
  const fresh = (name: keyof Views) => () =>
    rootViews(path, { home, modelNames: [...(models?.keys() ?? [])] }).views[name](
      contextWithoutWatch(Date.now()),
    );
  return {
    '/api/agents': fresh('agents'),
    '/api/profiles': fresh('profiles'),
    '/api/links': fresh('linkCounts'),
    ...Object.fromEntries(
      LINK_KINDS.flatMap((kind) => [
        [`/api/catalog/${kind}`, fresh(kind)],
        [`/api/catalog/${kind}/usage`, fresh(`${kind}Usage`)],
        [`/api/links/matrix?kind=${kind}`, fresh(`${kind}Matrix`)],
      ]),
    ),
    '/api/mcp': fresh('mcpServers'),
    '/api/checks': fresh('findingCounts'),
  };
};

/** The answer that the API should give, or the code of its error. */
export const answerOf = async (read: () => unknown): Promise<unknown> => {
  try {
    return JSON.parse(JSON.stringify(await read()));
  } catch (error) {
    return (error instanceof AppError ? error : fromSystemError(error))?.code ?? String(error);
  }
};

/** The agents that are edited. */
const AGENTS = ['ada', 'ben', 'cy', 'dot'];

/** The calls in each session file of an agent, counted in the simplest way. */
export const callsOf = (root: string, agent: string): number[] => {
  const found = new Map<string, number>();
  const add = (directory: string) => {
    for (const entry of listIfThere(directory)) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
      const calls = readFileSync(path, 'utf8').split('"usage"').length - 1;
      found.set(path, calls);
    }
  };
  add(join(root, 'agents', agent, 'sessions'));
  for (const entry of listIfThere(join(root, 'workspaces', agent)))
    if (entry.isDirectory() && entry.name === 'sessions') add(join(entry.parentPath, entry.name));
  const named = namedDirectory(join(root, 'agents', agent));
  if (named !== undefined) add(named);
  return [...found.values()].sort((a, b) => a - b);
};

const listIfThere = (directory: string) => {
  try {
    return readdirSync(directory, { withFileTypes: true, recursive: true });
  } catch {
    return [];
  }
};

const namedDirectory = (agent: string): string | undefined => {
  try {
    return join(agent, JSON.parse(readFileSync(join(agent, 'settings.json'), 'utf8')).sessionDir);
  } catch {
    return undefined;
  }
};

/** Reads the calls of the sessions of each edited agent, on disk and from the API. */
export const comparedSessions = async (
  root: string,
  read: (path: string) => Promise<{ body: { sessions?: { calls: number }[] } }>,
): Promise<{ onDisk: number[][]; answered: number[][] }> => {
  const answered = await Promise.all(
    AGENTS.map(async (agent) => {
      const { body } = await read(`/api/agents/${agent}/sessions?limit=100`);
      return (body.sessions ?? []).map(({ calls }) => calls).sort((a, b) => a - b);
    }),
  );
  const isThere = (agent: string) =>
    lstatSync(join(root, 'agents', agent), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return { onDisk: AGENTS.map((agent) => (isThere(agent) ? callsOf(root, agent) : [])), answered };
};
