import type { Logger } from './logger.ts';

/** Logs that the file handles ran out. */
export type ReportShortage = (error: unknown) => void;

/** Creates a {@link ReportShortage} that logs only once, because every request hits the same shortage. */
export const createShortageReport = (logger: Logger): ReportShortage => {
  let isReported = false;
  return (error) => {
    if (isReported) return;
    isReported = true;
    logger.warn(
      { err: error },
      'out of file handles, so some requests get 503; raise the limit of this process ("ulimit -n"). Logged once',
    );
  };
};
