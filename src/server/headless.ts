// The entry point of the server without a window. It sets what must be set before the other modules load.
import { setFlagsFromString } from 'node:v8';

// Nearly everything that modules create while they load stays. V8 would double the space for new objects for that,
// again and again, and never give back some 15 MB.
setFlagsFromString('--semi-space-growth-factor=1');
void import('./run-headless.ts')
  .then(({ runHeadless }) => runHeadless())
  // Under load, it may grow.
  .then(() => setFlagsFromString('--semi-space-growth-factor=2'));
