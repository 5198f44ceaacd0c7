import { realpathSync } from 'node:fs';
import type { ServerEvent } from '../../shared/api/events.ts';
import { isAgentId } from '../../shared/api/names.ts';
import { SETTINGS_FILE } from '../../shared/pi/agent-model.ts';
import { systemCode } from '../platform/app-error.ts';
import { listInside } from '../platform/open-inside.ts';
import type { Root } from '../platform/root.ts';
import { EVERYTHING_CHANGED, eventsOf } from './changes.ts';
import { createNamedDirectories } from './named-directories.ts';
import { type OtherSessions, watchSessions } from './watch-sessions.ts';
import { watchTree } from './watch-tree.ts';

/** What {@link followRoot} watches. */
interface FollowedRoot {
  readonly root: Root;
  /** The directories of sessions outside the root. */
  readonly sessionDirectories: readonly OtherSessions[];
  /** The directory that the settings of an agent name for its sessions, if it is outside the agent. Blocks. */
  readonly namedSessions: (agent: string) => string | undefined;
  /** Whether dot-mi may read a directory that settings name. Blocks. */
  readonly mayReadNamed: (path: string) => boolean;
}

/** Receives what {@link followRoot} finds. */
interface Follower {
  changed(events: readonly ServerEvent[]): void;
  /** The system can't watch more directories. */
  exhausted(): void;
}

/** Changes are reported together: a save in an editor, or a git checkout, touches much at once. */
const GATHER_MS = 50;
/** pi writes a session many times a second, and reading what an agent spent costs more than other reads. */
const SESSIONS_GATHER_MS = 500;
const MAX_PATHS = 500;
const ROOT_CHECK_MS = 1000;
/** How often the time that a check of directories took passes before the next one. */
const CHECK_PAUSE = 20;
/** How often the page reads everything again if there are no watches. */
const POLL_MS = 3000;

/**
 * Follows the changes of a root, for the disk thread, because setting and moving thousands of watches blocks. The result
 * ends it.
 */
export const followRoot = (
  { root, sessionDirectories, namedSessions, mayReadNamed }: FollowedRoot,
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
      // The root or "agents" is missing. Once it is back, all is read again.
      if (systemCode(error) === undefined) throw error;
      return [];
    }
  };

  // As if they were in the agent's own directory.
  const sessionsChanged = (agent: string) => gather(`agents/${agent}/sessions/elsewhere`);

  const named = createNamedDirectories(
    { agents: agentIds, read: namedSessions, fileName: SETTINGS_FILE },
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

  /** Thousands of directories are checked less often. */
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
  // Nobody was told of changes before the watches existed.
  follower.changed(EVERYTHING_CHANGED);

  return () => {
    for (const timer of [flushing, flushingSessions, checking]) clearTimeout(timer);
    for (const timer of [polling, regularly]) clearInterval(timer);
    named.close();
    tree.close();
    sessions.close();
  };
};
