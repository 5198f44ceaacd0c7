import type { ServerEvent } from '../../shared/api/events.ts';
import type { BodyThread } from '../platform/body-thread.ts';
import type { Logger } from '../platform/logger.ts';

/** A message from the disk thread while it follows the root. */
export type FollowMessage = { readonly events: readonly ServerEvent[] } | 'exhausted';

/** Starts or stops following the root on the disk thread. */
export interface FollowQuestion {
  readonly follow: boolean;
}

/** Starts watching the root for changes. Returns a function that stops watching. */
export type RootWatch = (publish: (events: readonly ServerEvent[]) => void) => () => void;

/** How long to wait before restarting a disk thread that ended. */
const RESTART_MS = 1000;

/** Creates a {@link RootWatch} for one follower at a time, on the disk thread. */
export const createRootWatch = (
  disk: Pick<BodyThread<object>, 'inform' | 'listen'>,
  logger: Logger,
): RootWatch => {
  let publish: ((events: readonly ServerEvent[]) => void) | undefined;
  let restart: NodeJS.Timeout | undefined;
  let isReported = false;

  const follow = () => {
    restart = undefined;
    if (publish) disk.inform({ follow: true } satisfies FollowQuestion).catch(followAgain);
  };

  const followAgain = (error: unknown) => {
    if (!publish || restart) return;
    // No thread can start without free file handles. Pages reload everything once a thread starts.
    if (!isReported)
      logger.warn({ err: error }, 'the disk thread ended; trying every second to watch the root again');
    isReported = true;
    restart = setTimeout(follow, RESTART_MS).unref();
  };

  disk.listen({
    message(message) {
      const said = message as FollowMessage;
      if (said !== 'exhausted') return publish?.(said.events);
      logger.warn(
        'the system limit on watched directories was reached (fs.inotify.max_user_watches), so dot-mi checks for changes every 3 s',
      );
    },
    ended: followAgain,
  });

  return (listener) => {
    publish = listener;
    follow();
    return () => {
      publish = undefined;
      clearTimeout(restart);
      restart = undefined;
      // Ignore errors: if the thread has ended, it follows nothing anyway.
      disk.inform({ follow: false } satisfies FollowQuestion).catch(() => undefined);
    };
  };
};
