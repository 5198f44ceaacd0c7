// `npm run serve`: builds, then runs the server without a window.
import { build } from './build.ts';

// A variable, so that it is not looked for before it is built.
const HEADLESS = '../out/main/headless.js';

if (!build()) process.exit(1);
await import(HEADLESS);
