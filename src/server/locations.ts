import { fileURLToPath } from 'node:url';

// From source this file is src/server/locations.ts, built it is a chunk right in out/main.
const fromSource = import.meta.url.endsWith('.ts');
const locate = (source: string, built: string) => new URL(fromSource ? source : built, import.meta.url);

/** Modules that run as threads. */
export const SCAN_WORKER_URL = locate('./workers/scan-worker.ts', './scan-worker.js');
export const SIGNATURE_WORKER_URL = locate('./workers/signature-worker.ts', './signature-worker.js');
export const MINT_WORKER_URL = locate('./workers/mint-worker.ts', './mint-worker.js');
export const WATCH_WORKER_URL = locate('./workers/watch-worker.ts', './watch-worker.js');

/** Where the built page is. */
export const PAGE_DIRECTORY = fileURLToPath(locate('../../out/renderer', '../renderer'));

/** What the program ships beside its code. Installed, the code is in an app.asar, out of which no directory can be copied. */
export const RESOURCES_DIRECTORY = fileURLToPath(locate('../../resources', '../../resources')).replace(
  /([\\/]app\.asar)(?=[\\/])/,
  '$1.unpacked',
);
