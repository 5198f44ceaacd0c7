// `npm run serve`: builds, then runs the server without a window.
import { build } from './build.ts';
import { requireFreePort } from './require-free-port.ts';

// A variable, so that nothing resolves the path before the build.
const HEADLESS = '../out/main/headless.cjs';

await requireFreePort(process.cwd());
if (!build()) process.exit(1);
await import(HEADLESS);
