import { appendFileSync, mkdirSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { LogLines } from '../server/platform/logger.ts';

/** The size at which a new log begins, and how many old logs are kept. */
interface LogLimits {
  maxBytes: number;
  kept: number;
}

const LIMITS: LogLimits = { maxBytes: 1024 * 1024, kept: 3 };
const STANDARD_ERROR = 2;

interface LogFile extends LogLines {
  readonly directory: string;
}

const sizeOf = (path: string): number => {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
};

/**
 * Opens the log `dot-mi.log` in a directory, with older ones in `dot-mi.1.log` and so on: at most (kept + 1) ×
 * maxBytes on disk. If the log can't be written, the lines go to standard error, because a full disk must not end the
 * program.
 */
export const openLogFile = (directory: string, { maxBytes, kept }: LogLimits = LIMITS): LogFile => {
  const path = (nth: number) => join(directory, nth === 0 ? 'dot-mi.log' : `dot-mi.${nth}.log`);
  let sizeBytes: number | undefined;

  const rotate = () => {
    for (let nth = kept - 1; nth >= 0; nth--) {
      // Renaming replaces the oldest log on every system, including Windows.
      if (sizeOf(path(nth)) > 0) renameSync(path(nth), path(nth + 1));
    }
    sizeBytes = 0;
  };

  return {
    directory,
    write(line) {
      try {
        if (sizeBytes === undefined) {
          mkdirSync(directory, { recursive: true });
          sizeBytes = sizeOf(path(0));
        }
        const bytes = Buffer.byteLength(line);
        if (sizeBytes > 0 && sizeBytes + bytes > maxBytes) rotate();
        // Write synchronously, so that the log contains the lines from just before a crash.
        appendFileSync(path(0), line, { mode: 0o600 });
        sizeBytes += bytes;
      } catch {
        try {
          writeSync(STANDARD_ERROR, line);
        } catch {
          // If a click started the program, it may have no standard error, and the line is lost.
        }
      }
    },
  };
};
