// The entry point of the server without a window. It sets V8 flags before the other modules load.
import { setFlagsFromString } from 'node:v8';
import { HELP_LINE, readCommandLine, SERVER_OPTION_LINES, SERVER_OPTIONS } from './command-line.ts';

const USAGE = `Starts dot-mi's server without a window.

Usage: node out/main/headless.cjs [--trust-root] [--renew-operator-token]

${SERVER_OPTION_LINES}
${HELP_LINE}`;

/** The longest time that the threads need to load their modules. */
const LOADED_MS = 5_000;

/** Lets the space for new objects grow under load. */
const afterLoading = () => setFlagsFromString('--semi-space-growth-factor=2');

// SECURITY: don't use a compile cache. Node runs whatever is in it, and a cloned repository can contain one.
readCommandLine(USAGE, SERVER_OPTIONS);
// Nearly all objects created while modules load stay alive. V8 would repeatedly double the space for new objects,
// and never release about 15 MB.
setFlagsFromString('--semi-space-growth-factor=1');
void import('./run-headless.ts')
  .then(({ runHeadless }) => runHeadless())
  // Wait for the threads to load too.
  .then(() => setTimeout(afterLoading, LOADED_MS).unref());
