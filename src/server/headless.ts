// The entry point of the server without a window. It sets what must be set before the other modules load.
import { setFlagsFromString } from 'node:v8';
import { HELP_LINE, readCommandLine, SERVER_OPTION_LINES, SERVER_OPTIONS } from './command-line.ts';

const USAGE = `Starts dot-mi's server without a window.

Usage: node out/main/headless.cjs [--trust-root] [--renew-operator-token]

${SERVER_OPTION_LINES}
${HELP_LINE}`;

/** After this time, each thread has loaded its modules. */
const LOADED_MS = 5_000;

/** Under load, the space for new objects may grow. */
const afterLoading = () => setFlagsFromString('--semi-space-growth-factor=2');

// SECURITY: no compile cache, because Node runs whatever an entry of it holds, and a cloned folder can bring one.
readCommandLine(USAGE, SERVER_OPTIONS);
// Nearly everything that modules create while they load stays. V8 would double the space for new objects for that,
// again and again, and never give back some 15 MB.
setFlagsFromString('--semi-space-growth-factor=1');
void import('./run-headless.ts')
  .then(({ runHeadless }) => runHeadless())
  // The threads load meanwhile.
  .then(() => setTimeout(afterLoading, LOADED_MS).unref());
