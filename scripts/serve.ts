// `npm run serve`: builds, then runs the server without a window.
import { build } from './build.ts';
import { requireFreePort } from './require-free-port.ts';

// A variable, so that it is not looked for before it is built.
const HEADLESS = '../out/main/headless.js';

await requireFreePort(process.cwd());
if (!build()) process.exit(1);
await import(HEADLESS);
