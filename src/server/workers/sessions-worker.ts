import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Usage } from '../../shared/api/usage.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import { limitTo } from '../platform/completeness.ts';
import { isDirectoryThere, lstatIfThere } from '../platform/list-directory.ts';
import { createRoot } from '../platform/root.ts';
import { createTurns, handleRequests } from '../platform/thread.ts';
import { createRootWatch } from '../root-model/watch.ts';
import { lengthsOf, readTerms } from '../sessions/agent-terms.ts';
import { costsBetween, lastRunsOf, sessionsPage } from '../sessions/list-sessions.ts';
import type {
  SessionPlace,
  SessionRef,
  SessionsQuestion,
  SessionsResponse,
  SessionsThreadData,
} from '../sessions/sessions.service.ts';
import { createSessionsIndex, type SessionsRead } from '../sessions/sessions-index.ts';
import { openSessionsStore, type SessionFile } from '../sessions/sessions-store.ts';
import { createTranscriptReader } from '../sessions/transcript.ts';
import { MAX_KNOWN_ROWS, type UsageQuery } from '../sessions/usage-rows.ts';
import { addUpUsage, type UsagePrices } from '../sessions/usage-sums.ts';

/** Entry point of the thread that reads session files. A root can have gigabytes of them. */
const { rootPath, databasePath, homeDirectory, directories, soldDirectory, markerPath } =
  workerData as SessionsThreadData;

/** After this long, the thread checks for other requests. */
const TURN_MS = 15;
/** The longest that a response waits for everything to be read. */
const MOST_WAIT_MS = 800;

mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 });
const store = openSessionsStore(databasePath);
const root = createRoot(rootPath);
const watch = createRootWatch(rootPath, markerPath);
const index = createSessionsIndex(root, store, Date.now, homeDirectory, {
  others: directories,
  sold: soldDirectory,
  watch,
});
const readTranscript = createTranscriptReader(root, index.btcUsdAt, index.tops, index.isOfSale);

let current: Promise<void> | undefined;
let following: Promise<void> | undefined;

/**
 * The watch misses writes through a memory map or a hard link. So everything is scanned this often, after a response.
 */
const LOOK_EVERY_MS = 30_000;
let lookedAtMs = 0;

const refresh = async (isCaughtUp: boolean): Promise<void> => {
  const turn = createTurns(TURN_MS);
  for (const _step of index.refresh(isCaughtUp)) await turn();
};

const catchUpAndRefresh = async (): Promise<void> => refresh((await watch?.catchUp()) ?? false);

const start = (task: Promise<void>): Promise<void> => {
  current = task.finally(() => {
    current = undefined;
  });
  return current;
};

/** Starts a new scan of all files after this call. Calls made before that scan starts share it. */
const refreshFromNow = (): Promise<void> => {
  if (!current) return start(catchUpAndRefresh());
  following ??= current
    // Its own caller gets the current scan's error. Scan again anyway.
    .catch(() => undefined)
    .then(() => {
      following = undefined;
      return start(catchUpAndRefresh());
    });
  return following;
};

/** Returns whether nothing has changed since everything was read. */
const isCurrent = async (): Promise<boolean> => {
  if (!watch || !(await watch.catchUp()) || !index.isCurrent()) return false;
  if (Date.now() - lookedAtMs > LOOK_EVERY_MS && !current) {
    lookedAtMs = Date.now();
    // The next request hits the same problem and reports it.
    setImmediate(() => {
      if (!current) start(refresh(false)).catch(() => undefined);
    });
  }
  return true;
};

/** Reads what is new, unless that takes too long. */
const readNew = async (): Promise<SessionsRead> => {
  if (await isCurrent()) return index.read(false);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), MOST_WAIT_MS);
  });
  const isReading = await Promise.race([refreshFromNow().then(() => false), late]);
  clearTimeout(timer);
  return index.read(isReading);
};

const toPlace = ({ sessionId, agent, path, cwd, name }: SessionFile): SessionPlace => ({
  id: sessionId ?? '',
  agent,
  path,
  cwd,
  name,
  isOfSale: index.isOfSale(path),
});

/** Finds a session's file. An unknown session, or one whose file is gone, can be in a new file. */
const findSession = async ({ id, agent }: SessionRef): Promise<SessionFile | undefined> => {
  const find = () => index.copiesOf(id, agent).find((file) => lstatIfThere(file.path)?.isFile());
  return find() ?? (await readNew().then(find));
};

let prices: UsagePrices = { models: new Map(), btcUsd: undefined, countsSubscriptions: false };
/** The last responses, and the data they were created from. */
const usages = new LRUCache<string, { made: readonly unknown[]; usage: Usage }>({ max: MAX_KNOWN_ROWS });

/** The agents' own prices change at further lengths, which the index has. */
const lengthsOfPrices = () => [...lengthsOf(prices.models.values())].sort((a, b) => a - b);

const usageOf = (
  { sums, completeness, problems, terms }: SessionsRead,
  query: UsageQuery,
  isKnown: boolean,
): Usage | 'same' => {
  const key = JSON.stringify(query);
  const rows = sums({ ...query, lengths: lengthsOfPrices() });
  const own = limitTo(completeness, query.agent);
  const made = [rows, prices, JSON.stringify({ problems, own })];
  const before = usages.get(key);
  if (isKnown && before && made.every((part, at) => part === before.made[at])) return 'same';
  const countsSubscriptions = prices.countsSubscriptions || query.isWithCovered === true;
  const sumsOfRows = addUpUsage(rows, { ...prices, countsSubscriptions }, terms);
  const usage = { ...sumsOfRows, ...own, problems: [...problems] };
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
  if (request.kind === 'subscriptions') return [...readTerms(root, root.agent(request.agent)).subscriptions];
  if (request.kind === 'transcript' || request.kind === 'place') {
    const file = await findSession(request.ref);
    if (!file) return 'session missing';
    return request.kind === 'transcript'
      ? readTranscript(file, request.page, prices, readTerms(root, root.agent(file.agent)))
      : toPlace(file);
  }
  const read = await readNew();
  if (request.kind === 'sessions') {
    if (!isAgentThere(request.agent)) return 'agent missing';
    return sessionsPage(read, request.agent, request.page, prices, index.btcUsdAt);
  }
  if (request.kind === 'lastRuns') return lastRunsOf(read);
  if (request.kind === 'costsBetween')
    return costsBetween(read, request.agent, request, prices, lengthsOfPrices());
  return usageOf(read, request.query, request.isKnown);
});
