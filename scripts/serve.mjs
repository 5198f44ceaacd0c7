// `npm run serve`: builds, then runs the server without a window.
import { build } from './build.mjs';

if (!build()) process.exit(1);
await import('../out/main/headless.js');
