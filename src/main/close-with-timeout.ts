import type { Logger } from '../server/platform/logger.ts';

/** The longest time to close before the process ends anyway. The next start recovers unfinished work. */
const DEADLINE_MS = 20_000;

/**
 * Closes the server, or gives up after a while. Never rejects: the program ends anyway, and the log says so.
 */
export const closeWithTimeout = async (
  close: () => Promise<void>,
  logger: Logger,
  deadlineMs = DEADLINE_MS,
): Promise<void> => {
  const deadline = Promise.withResolvers<false>();
  const timer = setTimeout(() => deadline.resolve(false), deadlineMs).unref();
  try {
    const isClosed = await Promise.race([close().then(() => true), deadline.promise]);
    if (!isClosed)
      logger.error({ deadlineMs }, 'the server did not stop in time, so the next start recovers its work');
  } catch (error) {
    logger.error({ err: error }, 'the server did not stop cleanly, so the next start recovers its work');
  } finally {
    clearTimeout(timer);
  }
};
