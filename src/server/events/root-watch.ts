import { Worker } from 'node:worker_threads';
import type { ServerEvent } from '../../shared/api/events.ts';
import type { Logger } from '../platform/logger.ts';
import { EVERYTHING_CHANGED, eventsOf } from './changes.ts';
import type { OtherSessions } from './watch-sessions.ts';

/** A message from the watcher thread. */
export type WatchMessage =
  | { kind: 'ready' }
  | { kind: 'changed'; paths: string[] }
  | { kind: 'lost' }
  | { kind: 'exhausted' };

/** What the watcher thread starts with. */
export interface WatchThreadData {
  readonly rootPath: string;
  readonly homeDirectory: string;
  /** Those outside the root. */
  readonly sessionDirectories: readonly OtherSessions[];
}

/** Starts to watch the root for changes. The result stops it. */
export type RootWatch = (publish: (events: readonly ServerEvent[]) => void) => () => void;

/** How long to wait before a watcher thread that died restarts. */
const RESTART_MS = 1000;

/** pi writes a session many times a second, and reading what an agent spent costs more than other reads. */
const SESSIONS_GATHER_MS = 500;

/** Creates a {@link RootWatch} whose thread runs the module at `workerUrl`. */
export const createRootWatch =
  (workerUrl: URL, workerData: WatchThreadData, logger: Logger): RootWatch =>
  (publish) => {
    let worker: Worker | undefined;
    let restart: NodeJS.Timeout | undefined;
    let stopped = false;

    const agentsWithSessions = new Set<string>();
    let gathering: NodeJS.Timeout | undefined;
    const gatherSessions = (ids: readonly string[]) => {
      for (const id of ids) agentsWithSessions.add(id);
      gathering ??= setTimeout(() => {
        gathering = undefined;
        publish([{ name: 'sessions', data: { ids: [...agentsWithSessions] } }]);
        agentsWithSessions.clear();
      }, SESSIONS_GATHER_MS).unref();
    };

    const onMessage = (message: WatchMessage) => {
      if (message.kind === 'changed') {
        const events = eventsOf(message.paths);
        for (const event of events) if (event.name === 'sessions') gatherSessions(event.data.ids ?? []);
        const others = events.filter(({ name }) => name !== 'sessions');
        if (others.length > 0) publish(others);
        return;
      }
      if (message.kind === 'exhausted') {
        logger.warn(
          'the system limit on watched directories was reached (fs.inotify.max_user_watches), so dot-mi checks for changes every 3 s',
        );
      }
      // Also once ready, because nobody was notified of changes before the watches existed.
      publish(EVERYTHING_CHANGED);
    };

    let isReported = false;
    const start = () => {
      try {
        worker = new Worker(workerUrl, { workerData, name: 'watcher' });
      } catch (error) {
        // Without file handles, no thread can start. Pages read everything again once one does.
        if (!isReported)
          logger.warn({ err: error }, 'the watcher thread could not start; retrying every second');
        isReported = true;
        restart = setTimeout(start, RESTART_MS).unref();
        return;
      }
      worker.unref();
      worker.on('message', onMessage);
      worker.on('error', (error) => logger.error({ err: error }, 'the watcher thread failed'));
      worker.on('exit', () => {
        if (!stopped) restart = setTimeout(start, RESTART_MS).unref();
      });
    };
    start();

    return () => {
      stopped = true;
      clearTimeout(restart);
      clearTimeout(gathering);
      void worker?.terminate();
    };
  };
