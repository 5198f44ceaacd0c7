import { destination, type Logger as PinoLogger, pino } from 'pino';
import type { Clock } from './clock.ts';

/** Logs that the process ran out of file handles. */
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

const RARE_MS = 60_000;

/** Creates a function that logs a warning at most once a minute, for a problem that each request can meet. */
export const createRareWarning = (
  logger: Pick<Logger, 'warn'>,
  clock: Pick<Clock, 'now'>,
): ((fields: object, message: string) => void) => {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (fields, message) => {
    const nowMs = clock.now();
    // The clock can be set back.
    if (Math.abs(nowMs - lastMs) < RARE_MS) return;
    lastMs = nowMs;
    logger.warn(fields, message);
  };
};

/** The server's logger. SECURITY: never pass a token, proof, seed, header or body. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** The levels that LOG_LEVEL accepts. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Receives entire log lines, each with its line ending. */
export interface LogLines {
  write(line: string): void;
}

/** Creates a logger that writes JSON lines, by default to standard error. Standard output is for people. */
export const createLogger = (level: LogLevel, lines?: LogLines): Logger =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    lines ?? destination({ dest: 2, sync: true }),
  );
