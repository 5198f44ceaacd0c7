import type { ServerEvent } from '../../shared/api/events.ts';
import { STREAM_BEGINS } from './changes.ts';
import type { RootWatch } from './root-watch.ts';

/** Sends events to everyone who subscribes. */
export interface EventsService {
  /** Calls `listener` with {@link STREAM_BEGINS}, then with each event. Returns a function that unsubscribes. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  /** Calls `listener` with each event from now on. Unlike a subscriber, it doesn't make dot-mi watch the disk. */
  follow(listener: (event: ServerEvent) => void): void;
  publish(event: ServerEvent): void;
  /** Stops watching the disk. */
  close(): void;
}

/** How long to keep watching after the last listener leaves. A reloaded page subscribes again at once. */
const KEEP_WATCH_MS = 5000;

/** Creates the service. It watches the disk only while someone is subscribed. */
export const createEventsService = (watchRoot: RootWatch): EventsService => {
  const listeners = new Set<(event: ServerEvent) => void>();
  const followers = new Set<(event: ServerEvent) => void>();
  let stopWatch: (() => void) | undefined;
  let stopTimer: NodeJS.Timeout | undefined;

  const publish = (event: ServerEvent) => {
    for (const listener of [...followers, ...listeners]) listener(event);
  };

  const stop = () => {
    clearTimeout(stopTimer);
    stopWatch?.();
    stopWatch = undefined;
  };

  return {
    follow: (listener) => void followers.add(listener),
    publish,
    close: stop,
    subscribe(listener) {
      clearTimeout(stopTimer);
      listeners.add(listener);
      listener(STREAM_BEGINS);
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
