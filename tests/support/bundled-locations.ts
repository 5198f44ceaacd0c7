// Stands in for src/server/locations.ts in the tests' own process (vitest.config.ts), so that threads start
// from bundles.
import { fileURLToPath } from 'node:url';
import { bundledThread } from './bundle.ts';

export const DISK_WORKER_URL = bundledThread('disk-worker');
export const MINT_WORKER_URL = bundledThread('mint-worker');
export const PROMPT_WORKER_URL = bundledThread('prompt-worker');
export const SESSIONS_WORKER_URL = bundledThread('sessions-worker');
export const SELL_PROGRAM_URL = bundledThread('sell-process');

export const PAGE_DIRECTORY = fileURLToPath(new URL('../../out/renderer', import.meta.url));
export const RESOURCES_DIRECTORY = fileURLToPath(new URL('../../resources', import.meta.url));
export const STARTER_TEMPLATE = `${RESOURCES_DIRECTORY}/starter-root`;
