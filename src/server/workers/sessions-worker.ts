import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { isDirectoryThere, lstatIfThere } from '../platform/list-directory.ts';
import { createRoot } from '../platform/root.ts';
import { answerQuestions } from '../platform/thread.ts';
import { listSessions } from '../sessions/list-sessions.ts';
import type {
  SessionPlace,
  SessionRef,
  SessionsAnswer,
  SessionsQuestion,
  SessionsThreadData,
} from '../sessions/sessions.service.ts';
import { createSessionsIndex } from '../sessions/sessions-index.ts';
import { openSessionsStore, type SessionFile } from '../sessions/sessions-store.ts';
import { createTranscriptReader } from '../sessions/transcript.ts';
import { addUpUsage } from '../sessions/usage-sums.ts';

/** Entry point of the thread that reads session files. A root can have gigabytes of them. */
const { rootPath, databasePath, directories } = workerData as SessionsThreadData;

/** After this long, the thread looks for other questions. */
const SLICE_MS = 15;
/** How long an answer waits until everything is read. */
const MOST_WAIT_MS = 800;

mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 });
const store = openSessionsStore(databasePath);
const root = createRoot(rootPath);
const index = createSessionsIndex(root, store, Date.now, directories);
const readTranscript = createTranscriptReader(root, index.btcUsdAt);

let current: Promise<void> | undefined;
let following: Promise<void> | undefined;

const refresh = async (): Promise<void> => {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const _step of index.refresh()) {
    if (performance.now() < sliceEnd) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    sliceEnd = performance.now() + SLICE_MS;
  }
};

const startRefresh = (): Promise<void> => {
  current = refresh().finally(() => {
    current = undefined;
  });
  return current;
};

/** Looks at all files once more, after this call. Callers in the meantime share it. */
const refreshFromNow = (): Promise<void> => {
  if (!current) return startRefresh();
  following ??= current
    // Whoever asked for it got its error. The next one looks again.
    .catch(() => undefined)
    .then(() => {
      following = undefined;
      return startRefresh();
    });
  return following;
};

/** Reads what is new. Returns whether everything was read in time. */
const readNew = async (): Promise<boolean> => {
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

/** The file of a session. A session that isn't known, or whose file is gone, can be in a file that is new. */
const findSession = async ({ id, agent }: SessionRef): Promise<SessionFile | undefined> => {
  const find = () => index.copiesOf(id, agent).find((file) => lstatIfThere(file.path)?.isFile());
  return find() ?? (await readNew().then(find));
};

answerQuestions(async ({ request, prices, btcPrices }: SessionsQuestion): Promise<SessionsAnswer> => {
  if (!isDirectoryThere(rootPath)) return 'root missing';
  index.addBtcPrices(btcPrices);
  if (request.kind === 'transcript' || request.kind === 'place') {
    const file = await findSession(request.ref);
    if (!file) return 'session missing';
    return request.kind === 'transcript' ? readTranscript(file, request.page, prices) : toPlace(file);
  }
  const complete = await readNew();
  if (request.kind === 'sessions') {
    if (!lstatIfThere(join(root.agents, request.agent))?.isDirectory()) return 'agent missing';
    const files = index.sessionsOf(request.agent);
    return { ...listSessions(files, request.page, prices, index.btcUsdAt), complete };
  }
  const rows = store.sums(request.query);
  return { ...addUpUsage(rows, prices), complete, problems: [...index.problems()] };
});
