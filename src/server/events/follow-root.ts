import { realpathSync } from 'node:fs';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import type { ServerEvent } from '../../shared/api/events.ts';
import { isAgentId } from '../../shared/api/names.ts';
import { systemCode } from '../platform/app-error.ts';
import { listInside } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import { EVERYTHING_CHANGED, eventsOf } from './changes.ts';
import { createNamedDirectories } from './named-directories.ts';
import { type OtherSessions, watchSessions } from './watch-sessions.ts';
import { watchTree } from './watch-tree.ts';

/** The paths that {@link followRoot} watches. */
interface FollowedRoot {
  readonly root: Root;
  /** Session directories outside the root. */
  readonly sessionDirectories: readonly OtherSessions[];
  /** Returns the session directories outside the agent that its settings name, or where its links end. Blocks. */
  readonly otherSessions: (agent: string) => readonly string[];
  /** Returns whether dot-mi can read such a directory. Blocks. */
  readonly mayReadNamed: (path: string) => boolean;
}

/** Receives the changes that {@link followRoot} detects. */
interface Follower {
  changed(events: readonly ServerEvent[]): void;
  /** Called when the system has no more watches. */
  exhausted(): void;
}

/** Changes are reported in batches: an editor's save or a git checkout changes many files at once. */
const GATHER_MS = 50;
/** pi writes sessions many times a second, and calculating an agent's spending is expensive. */
const SESSIONS_GATHER_MS = 500;
const MAX_PATHS = 500;
const ROOT_CHECK_MS = 1000;
/** The pause between checks of directories, as a multiple of how long a check takes. */
const CHECK_PAUSE = 20;
/** How often pages reload everything if the system has no more watches. */
const POLL_MS = 3000;

/**
 * Follows a root's changes, for the disk thread, because managing thousands of watches blocks. Returns a function
 * that stops following.
 */
export const followRoot = (
  { root, sessionDirectories, otherSessions, mayReadNamed }: FollowedRoot,
  follower: Follower,
): (() => void) => {
  let gathered: Set<string> | 'lost' = new Set();
  let flushing: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  const agentsWithSessions = new Set<string>();
  let flushingSessions: NodeJS.Timeout | undefined;

  const flushSessions = () => {
    flushingSessions = undefined;
    follower.changed([{ name: 'sessions', data: { ids: [...agentsWithSessions] } }]);
    agentsWithSessions.clear();
  };

  const flush = () => {
    flushing = undefined;
    const paths = gathered;
    gathered = new Set();
    if (paths === 'lost') return follower.changed(EVERYTHING_CHANGED);
    const events = eventsOf(paths);
    for (const event of events)
      if (event.name === 'sessions') for (const id of event.data.ids ?? []) agentsWithSessions.add(id);
    if (agentsWithSessions.size > 0) flushingSessions ??= setTimeout(flushSessions, SESSIONS_GATHER_MS);
    const others = events.filter(({ name }) => name !== 'sessions');
    if (others.length > 0) follower.changed(others);
  };

  const gather = (path: string | undefined) => {
    if (path === undefined || gathered === 'lost' || gathered.size >= MAX_PATHS) gathered = 'lost';
    else gathered.add(path);
    flushing ??= setTimeout(flush, GATHER_MS);
  };

  const agentIds = (): string[] => {
    try {
      return listInside([realpathSync.native(root.path)], root.agents).flatMap((entry) =>
        entry.isDirectory() && isAgentId(entry.name) ? entry.name : [],
      );
    } catch (error) {
      // The root or "agents" is missing. Everything is read again once it's back.
      if (systemCode(error) === undefined) throw error;
      return [];
    }
  };

  // Report it as if the sessions were in the agent's own directory.
  const sessionsChanged = (agent: string) => gather(`agents/${agent}/sessions/elsewhere`);

  const named = createNamedDirectories(
    { agents: agentIds, read: otherSessions, names: [SETTINGS_FILE, 'pi-args', 'sessions'] },
    (agent) => {
      sessionsChanged(agent);
      checkSoon();
    },
  );

  const tree = watchTree(root.path, {
    changed(path) {
      gather(path);
      named.pathChanged(path);
    },
    lost() {
      gather(undefined);
      named.anyChanged();
    },
    exhausted() {
      if (polling) return;
      polling = setInterval(() => gather(undefined), POLL_MS);
      follower.exhausted();
    },
  });

  const readableNamed = (): OtherSessions[] => {
    const isReadable = new Map<string, boolean>();
    return named.directories().filter(({ path }) => {
      const known = isReadable.get(path) ?? mayReadNamed(path);
      isReadable.set(path, known);
      return known;
    });
  };

  const sessions = watchSessions(() => [...sessionDirectories, ...readableNamed()], sessionsChanged);

  /** The earliest time of the next regular check, so that thousands of directories are checked less often. */
  let checkFromMs = 0;
  const checkSessions = () => {
    const beganMs = performance.now();
    sessions.check();
    const endedMs = performance.now();
    checkFromMs = endedMs + (endedMs - beganMs) * CHECK_PAUSE;
  };

  let checking: NodeJS.Timeout | undefined;
  const checkSoon = () => {
    checking ??= setTimeout(() => {
      checking = undefined;
      checkSessions();
    }, GATHER_MS);
  };

  const regularly = setInterval(() => {
    tree.check();
    if (performance.now() >= checkFromMs) checkSessions();
  }, ROOT_CHECK_MS);
  // Changes before the watches existed weren't reported.
  follower.changed(EVERYTHING_CHANGED);

  return () => {
    for (const timer of [flushing, flushingSessions, checking]) clearTimeout(timer);
    for (const timer of [polling, regularly]) clearInterval(timer);
    named.close();
    tree.close();
    sessions.close();
  };
};
