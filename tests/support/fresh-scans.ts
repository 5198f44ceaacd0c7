import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentsScan } from '../../src/server/agents/scan-agents.ts';
import { createCatalogScans } from '../../src/server/catalog/catalog-scans.ts';
import { createLocalNames } from '../../src/server/catalog/local-names.ts';
import { createChecksScan } from '../../src/server/checks/checks-scan.ts';
import { contextWithoutWatch } from '../../src/server/disk/coverage.ts';
import { readAgentFile } from '../../src/server/files/agent-file.ts';
import { createLinksScan } from '../../src/server/links/link-counts.ts';
import { createMcpScan } from '../../src/server/mcp/scan-mcp.ts';
import { AppError, fromSystemError } from '../../src/server/platform/app-error.ts';
import { OPERATOR_READER } from '../../src/server/platform/caller.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { parseModels } from '../../src/server/pricing/parse-models.ts';
import { createProfilesScan } from '../../src/server/profiles/scan-profiles.ts';
import { LINK_KINDS } from '../../src/shared/api/names.ts';
import { etagOf } from './etag.ts';

/** Reads what each list of the API says from disk, without any memory of what was read before. */
export const freshScans = (
  path: string,
  { home, modelsPath }: { home: string; modelsPath: string },
): Readonly<Record<string, () => unknown>> => {
  const root = createRoot(path);
  const { models } = parseModels(readFileSync(modelsPath, 'utf8'));
  const modelNames = [...(models?.keys() ?? [])];
  const at = () => contextWithoutWatch(Date.now());
  const links = () => createLinksScan(root, createLocalNames(root));
  return {
    '/api/agents': () => createAgentsScan(root)(at()),
    '/api/profiles': () => createProfilesScan(root)(at()),
    '/api/links': () => links().counts(at()),
    ...Object.fromEntries(
      LINK_KINDS.flatMap((kind) => [
        [`/api/catalog/${kind}`, () => createCatalogScans(root).scans[kind](at())],
        [`/api/catalog/${kind}/usage`, () => links().usage(kind, at())],
        [
          `/api/links/matrix?kind=${kind}`,
          () => links().matrix(kind, createCatalogScans(root).entries[kind](at()), at()),
        ],
      ]),
    ),
    '/api/mcp': () =>
      createMcpScan(root, (id) => readAgentFile({ root, etagOf }, id, 'mcp.json', OPERATOR_READER))(at()),
    '/api/checks': () => createChecksScan({ root, etagOf }, home, () => modelNames).counts(at()),
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
