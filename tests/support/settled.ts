import { lstat } from 'node:fs/promises';
import { until } from './raw-http.ts';

/** A younger change is read again each time; see platform/fingerprint.ts. */
const SETTLED_AFTER_MS = 3_100;

/** Waits until a file or directory has been as it is for so long that the server keeps what it read. */
export const untilSettled = (path: string): Promise<void> =>
  until(async () => Date.now() - (await lstat(path)).ctimeMs > SETTLED_AFTER_MS);
