// The entry point of the server without a window. It sets what must be set before the other modules load.
import { lstatSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { HELP_LINE, readCommandLine, SERVER_OPTION_LINES, SERVER_OPTIONS } from './command-line.ts';

const USAGE = `Starts dot-mi's server without a window.

Usage: node out/main/headless.cjs [--trust-root] [--renew-operator-token]

${SERVER_OPTION_LINES}
${HELP_LINE}`;

/** After this time, each thread has loaded its modules. */
const LOADED_MS = 5_000;
/** What other users of this machine may do with a directory. */
const WRITTEN_BY_OTHERS = 0o022;

/** Whether a directory is ours and nobody else can write to it. Undefined if it isn't there. */
const isOurs = (path: string): boolean | undefined => {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & WRITTEN_BY_OTHERS) === 0;
  } catch (error) {
    // The server itself reports a folder that it can't read.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : false;
  }
};

/** Lets Node keep the compiled code for the next start, which is then 70 ms shorter. The first start creates the folder. */
const keepCompiledCode = (): void => {
  const data = join(process.cwd(), 'data');
  const compiled = join(data, 'compiled');
  // SECURITY: whoever can write there can run code as us. Windows has no user ids to tell, so nothing is kept there.
  if (isOurs(data) && isOurs(compiled) !== false) enableCompileCache(compiled);
};

const afterLoading = (): void => {
  // Under load, it may grow.
  setFlagsFromString('--semi-space-growth-factor=2');
  // Node writes compiled code when a process ends, but not when it is killed.
  flushCompileCache();
};

readCommandLine(USAGE, SERVER_OPTIONS);
keepCompiledCode();
// Nearly everything that modules create while they load stays. V8 would double the space for new objects for that,
// again and again, and never give back some 15 MB.
setFlagsFromString('--semi-space-growth-factor=1');
void import('./run-headless.ts')
  .then(({ runHeadless }) => runHeadless())
  // The threads load meanwhile.
  .then(() => setTimeout(afterLoading, LOADED_MS).unref());
