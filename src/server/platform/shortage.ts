import type { Logger } from './logger.ts';

/** Logs that the file handles ran out. */
export type ReportShortage = (error: unknown) => void;

/** Makes a {@link ReportShortage} that logs once: every request meets the same shortage, and a log of them all hides the rest. */
export const createShortageReport = (logger: Logger): ReportShortage => {
  let isReported = false;
  return (error) => {
    if (isReported) return;
    isReported = true;
    logger.warn(
      { err: error },
      'the file handles ran out, so some requests are answered with 503; allow this process more of them ("ulimit -n"). Logged once',
    );
  };
};
