import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Usage } from '../../shared/api/usage.ts';
import { createSettledWatch } from '../disk/watch.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import { isDirectoryThere, lstatIfThere } from '../platform/list-directory.ts';
import { createRoot } from '../platform/root.ts';
import { createTurns, handleRequests } from '../platform/thread.ts';
import { lastRunsOf, sessionsPage } from '../sessions/list-sessions.ts';
import type {
  SessionPlace,
  SessionRef,
  SessionsQuestion,
  SessionsResponse,
  SessionsThreadData,
} from '../sessions/sessions.service.ts';
import { createSessionsIndex } from '../sessions/sessions-index.ts';
import { openSessionsStore, type SessionFile } from '../sessions/sessions-store.ts';
import { createTranscriptReader } from '../sessions/transcript.ts';
import { MAX_KNOWN_ROWS, type UsageQuery } from '../sessions/usage-rows.ts';
import { addUpUsage, lengthsIn, type UsagePrices } from '../sessions/usage-sums.ts';

/** Entry point of the thread that reads session files. A root can have gigabytes of them. */
const { rootPath, databasePath, homeDirectory, directories, markerPath } = workerData as SessionsThreadData;

/** After this long, the thread checks for other requests. */
const TURN_MS = 15;
/** The longest that a response waits for everything to be read. */
const MOST_WAIT_MS = 800;

mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 });
const store = openSessionsStore(databasePath);
const root = createRoot(rootPath);
const watch = createSettledWatch(rootPath, markerPath);
const index = createSessionsIndex(root, store, Date.now, homeDirectory, directories, watch);
const readTranscript = createTranscriptReader(root, index.btcUsdAt, index.tops);

let current: Promise<void> | undefined;
let following: Promise<void> | undefined;

/**
 * The watch misses writes through a memory map or a hard link. So everything is scanned this often, after a response.
 */
const LOOK_EVERY_MS = 30_000;
let lookedAtMs = 0;

const refresh = async (isSettled: boolean): Promise<void> => {
  const turn = createTurns(TURN_MS);
  for (const _step of index.refresh(isSettled)) await turn();
};

const settleAndRefresh = async (): Promise<void> => refresh((await watch?.settle()) ?? false);

const start = (task: Promise<void>): Promise<void> => {
  current = task.finally(() => {
    current = undefined;
  });
  return current;
};

/** Starts a new scan of all files after this call. Calls made before that scan starts share it. */
const refreshFromNow = (): Promise<void> => {
  if (!current) return start(settleAndRefresh());
  following ??= current
    // Its own caller gets the current scan's error. Scan again anyway.
    .catch(() => undefined)
    .then(() => {
      following = undefined;
      return start(settleAndRefresh());
    });
  return following;
};

/** Returns whether nothing has changed since everything was read. */
const isCurrent = async (): Promise<boolean> => {
  if (!watch || !(await watch.settle()) || !index.isCurrent()) return false;
  if (Date.now() - lookedAtMs > LOOK_EVERY_MS && !current) {
    lookedAtMs = Date.now();
    // The next request hits the same problem and reports it.
    setImmediate(() => {
      if (!current) start(refresh(false)).catch(() => undefined);
    });
  }
  return true;
};

/** Reads what is new. Returns whether everything was read in time. */
const readNew = async (): Promise<boolean> => {
  if (await isCurrent()) return true;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), MOST_WAIT_MS);
  });
  const isComplete = await Promise.race([refreshFromNow().then(() => true), late]);
  clearTimeout(timer);
  return isComplete;
};

const toPlace = ({ sessionId, agent, path, cwd, name }: SessionFile): SessionPlace => ({
  id: sessionId ?? '',
  agent,
  path,
  cwd,
  name,
});

/** Finds a session's file. An unknown session, or one whose file is gone, can be in a new file. */
const findSession = async ({ id, agent }: SessionRef): Promise<SessionFile | undefined> => {
  const find = () => index.copiesOf(id, agent).find((file) => lstatIfThere(file.path)?.isFile());
  return find() ?? (await readNew().then(find));
};

let prices: UsagePrices = { models: new Map(), btcUsd: undefined };
/** The last responses, and the data they were created from. */
const usages = new LRUCache<string, { made: readonly unknown[]; usage: Usage }>({ max: MAX_KNOWN_ROWS });

const readUsage = (query: UsageQuery, isKnown: boolean, complete: boolean): Usage | 'same' => {
  const key = JSON.stringify(query);
  const rows = store.sums({ ...query, lengths: lengthsIn(prices) });
  const problems = index.problems();
  const notCounted = index.notCounted().filter((agent) => query.agent === undefined || agent === query.agent);
  const made = [rows, prices, complete, JSON.stringify({ problems, notCounted })];
  const before = usages.get(key);
  if (isKnown && before && made.every((part, at) => part === before.made[at])) return 'same';
  const usage = { ...addUpUsage(rows, prices), complete, notCounted, problems: [...problems] };
  usages.set(key, { made, usage });
  return usage;
};

const isAgentThere = (id: string): boolean => {
  try {
    requireAgentSync(root, id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'agent_not_found') return false;
    throw error;
  }
};

handleRequests(async (question: SessionsQuestion): Promise<SessionsResponse> => {
  const { request, btcPrices } = question;
  if (question.prices) prices = question.prices;
  if (!isDirectoryThere(rootPath)) return 'root missing';
  index.addBtcPrices(btcPrices);
  if (request.kind === 'transcript' || request.kind === 'place') {
    const file = await findSession(request.ref);
    if (!file) return 'session missing';
    return request.kind === 'transcript' ? readTranscript(file, request.page, prices) : toPlace(file);
  }
  const complete = await readNew();
  if (request.kind === 'sessions') {
    if (!isAgentThere(request.agent)) return 'agent missing';
    const files = index.sessionsOf(request.agent);
    return { ...sessionsPage(files, request.page, prices, index.btcUsdAt), complete };
  }
  if (request.kind === 'lastRuns') return { agents: lastRunsOf(index.everRead()), complete };
  return readUsage(request.query, request.isKnown, complete);
});
