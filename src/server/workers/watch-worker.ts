import { parentPort, workerData } from 'node:worker_threads';
import type { WatchMessage, WatchThreadData } from '../events/root-watch.ts';
import { watchSessions } from '../events/watch-sessions.ts';
import { watchTree } from '../events/watch-tree.ts';

/**
 * Entry point of the watcher thread: setting and moving thousands of watches blocks, but here it blocks
 * nobody. It runs while someone is subscribed to the event stream.
 */
const { rootPath, sessionDirectories } = workerData as WatchThreadData;

/** Changes are reported together: a save in an editor, or a git checkout, touches much at once. */
const GATHER_MS = 50;
const MAX_PATHS = 500;
const ROOT_CHECK_MS = 1000;
/** How often the page reads everything again if there are no watches. */
const POLL_MS = 3000;

let gathered: Set<string> | 'lost' = new Set();
let flushing = false;
let polling: NodeJS.Timeout | undefined;

const post = (message: WatchMessage) => parentPort?.postMessage(message);

const flush = () => {
  flushing = false;
  post(gathered === 'lost' ? { kind: 'lost' } : { kind: 'changed', paths: [...gathered] });
  gathered = new Set();
};

const gather = (path: string | undefined) => {
  if (path === undefined || gathered === 'lost' || gathered.size >= MAX_PATHS) gathered = 'lost';
  else gathered.add(path);
  if (flushing) return;
  flushing = true;
  setTimeout(flush, GATHER_MS);
};

const tree = watchTree(rootPath, {
  changed: gather,
  lost: () => gather(undefined),
  exhausted: () => {
    if (polling) return;
    polling = setInterval(() => gather(undefined), POLL_MS);
    post({ kind: 'exhausted' });
  },
});

// As if they were in the agent's own directory.
const sessions = watchSessions(sessionDirectories, (agent) => gather(`agents/${agent}/sessions/outside`));

setInterval(() => {
  tree.check();
  sessions.check();
}, ROOT_CHECK_MS);
post({ kind: 'ready' });
