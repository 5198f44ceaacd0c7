import type { ServerEvent } from '../../shared/api/events.ts';
import { STREAM_BEGINS } from './changes.ts';
import type { RootWatch } from './root-watch.ts';

/** Hands events to whoever follows the stream. */
export interface EventsService {
  /** Follows events from now on, after one of each that says "anything"; the result ends it. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  publish(event: ServerEvent): void;
  /** Ends the watch of the disk. */
  close(): void;
}

/** How long the watches stay after the last follower left: a page that is reloaded comes back at once. */
const KEEP_WATCH_MS = 5000;

/** Makes the service. The disk is watched only while somebody follows. */
export const createEventsService = (watchRoot: RootWatch): EventsService => {
  const listeners = new Set<(event: ServerEvent) => void>();
  let stopWatch: (() => void) | undefined;
  let stopTimer: NodeJS.Timeout | undefined;

  const publish = (event: ServerEvent) => {
    for (const listener of listeners) listener(event);
  };

  const stop = () => {
    clearTimeout(stopTimer);
    stopWatch?.();
    stopWatch = undefined;
  };

  return {
    publish,
    close: stop,
    subscribe(listener) {
      clearTimeout(stopTimer);
      listeners.add(listener);
      for (const event of STREAM_BEGINS) listener(event);
      stopWatch ??= watchRoot((events) => {
        for (const event of events) publish(event);
      });
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(stopTimer);
        stopTimer = setTimeout(stop, KEEP_WATCH_MS).unref();
      };
    },
  };
};
