import { realpathSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { isAgentId } from '../../shared/api/names.ts';
import { SETTINGS_FILE } from '../../shared/pi/agent-model.ts';
import { createNamedDirectories } from '../events/named-directories.ts';
import type { WatchMessage, WatchThreadData } from '../events/root-watch.ts';
import { type OtherSessions, watchSessions } from '../events/watch-sessions.ts';
import { watchTree } from '../events/watch-tree.ts';
import { systemCode } from '../platform/app-error.ts';
import { listInside } from '../platform/open-inside.ts';
import { createRoot } from '../platform/root.ts';
import { mayReadNamed, namedSessions } from '../sessions/session-dir.ts';

/**
 * Entry point of the watcher thread: setting and moving thousands of watches blocks, but here it blocks
 * nobody. It runs while someone is subscribed to the event stream.
 */
const { rootPath, homeDirectory, sessionDirectories } = workerData as WatchThreadData;

/** Changes are reported together: a save in an editor, or a git checkout, touches much at once. */
const GATHER_MS = 50;
const MAX_PATHS = 500;
const ROOT_CHECK_MS = 1000;
/** How often the time that a check of directories took passes before the next one. */
const CHECK_PAUSE = 20;
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

const root = createRoot(rootPath);

const agentIds = (): string[] => {
  try {
    return listInside([realpathSync.native(root.path)], root.agents).flatMap((entry) =>
      entry.isDirectory() && isAgentId(entry.name) ? entry.name : [],
    );
  } catch (error) {
    // The root or "agents" is missing. Once it is back, all is read again.
    if (systemCode(error) === undefined) throw error;
    return [];
  }
};

// As if they were in the agent's own directory.
const sessionsChanged = (agent: string) => gather(`agents/${agent}/sessions/elsewhere`);

const named = createNamedDirectories(
  {
    agents: agentIds,
    read: (agent) => namedSessions(root, root.agent(agent), homeDirectory)?.path,
    fileName: SETTINGS_FILE,
  },
  (agent) => {
    sessionsChanged(agent);
    checkSoon();
  },
);

const tree = watchTree(rootPath, {
  changed(path) {
    gather(path);
    named.pathChanged(path);
  },
  lost() {
    gather(undefined);
    named.anyChanged();
  },
  exhausted: () => {
    if (polling) return;
    polling = setInterval(() => gather(undefined), POLL_MS);
    post({ kind: 'exhausted' });
  },
});

const readableNamed = (): OtherSessions[] => {
  const isReadable = new Map<string, boolean>();
  return named.directories().filter(({ path }) => {
    const known = isReadable.get(path) ?? mayReadNamed(root, path);
    isReadable.set(path, known);
    return known;
  });
};

const sessions = watchSessions(() => [...sessionDirectories, ...readableNamed()], sessionsChanged);

/** Thousands of directories are checked less often. */
let checkFromMs = 0;
const checkSessions = () => {
  const beganMs = performance.now();
  sessions.check();
  const endedMs = performance.now();
  checkFromMs = endedMs + (endedMs - beganMs) * CHECK_PAUSE;
};

let isCheckDue = false;
const checkSoon = () => {
  if (isCheckDue) return;
  isCheckDue = true;
  setTimeout(() => {
    isCheckDue = false;
    checkSessions();
  }, GATHER_MS);
};

setInterval(() => {
  tree.check();
  if (performance.now() >= checkFromMs) checkSessions();
}, ROOT_CHECK_MS);
post({ kind: 'ready' });
