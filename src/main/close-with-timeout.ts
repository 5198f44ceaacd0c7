import type { Logger } from '../server/platform/logger.ts';

/** How long an end may take before the process goes anyway; what is under way is recovered at the next start. */
const DEADLINE_MS = 20_000;

/** Ends the server, or gives it up after a while. Never rejects: the program ends either way, and the log says how. */
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
