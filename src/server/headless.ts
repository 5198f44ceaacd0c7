// The entry point of the server without a window. It sets what must be set before the other modules load.
import { lstatSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

/** After this time, each thread has loaded its modules. */
const LOADED_MS = 5_000;
/** What other users of this machine may do with a directory. */
const WRITTEN_BY_OTHERS = 0o022;

/** Whether nobody else can write to a path, or it isn't there. */
const isOurs = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return true;
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & WRITTEN_BY_OTHERS) === 0;
};

/** Lets Node keep the compiled code for the next start, which is then 70 ms shorter. The first start creates the folder. */
const keepCompiledCode = (): void => {
  const data = join(process.cwd(), 'data');
  const compiled = join(data, 'compiled');
  // SECURITY: whoever can write there can run code as us. Windows doesn't say who that is.
  const isSafe = process.getuid !== undefined && lstatSync(data, { throwIfNoEntry: false }) !== undefined;
  if (isSafe && isOurs(data) && isOurs(compiled)) enableCompileCache(compiled);
};

const afterLoading = (): void => {
  // Under load, it may grow.
  setFlagsFromString('--semi-space-growth-factor=2');
  // Node writes compiled code when a process ends, but not when it is killed.
  flushCompileCache();
};

keepCompiledCode();
// Nearly everything that modules create while they load stays. V8 would double the space for new objects for that,
// again and again, and never give back some 15 MB.
setFlagsFromString('--semi-space-growth-factor=1');
void import('./run-headless.ts')
  .then(({ runHeadless }) => runHeadless())
  // The threads load meanwhile.
  .then(() => setTimeout(afterLoading, LOADED_MS).unref());
