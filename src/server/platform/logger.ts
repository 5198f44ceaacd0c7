import { destination, type Logger as PinoLogger, pino } from 'pino';

/** What the server logs with. SECURITY: never pass a token, proof, seed, header or body. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** The levels LOG_LEVEL may name. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Takes whole lines of the log, each with its line end. */
export interface LogLines {
  write(line: string): void;
}

/** A logger that writes JSON lines; to standard error by default, so that standard output stays for people. */
export const createLogger = (level: LogLevel, lines?: LogLines): Logger =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    lines ?? destination({ dest: 2, sync: true }),
  );
