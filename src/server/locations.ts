import { fileURLToPath } from 'node:url';

// This file is src/server/locations.ts in the source, and a chunk in out/main after a build.
const fromSource = import.meta.url.endsWith('.ts');
const locate = (source: string, built: string) => new URL(fromSource ? source : built, import.meta.url);

/** Modules that run as threads. */
export const DISK_WORKER_URL = locate('./workers/disk-worker.ts', './disk-worker.cjs');
export const MINT_WORKER_URL = locate('./wallet/mint-worker.ts', './mint-worker.cjs');
export const PROMPT_WORKER_URL = locate('./workers/prompt-worker.ts', './prompt-worker.cjs');
export const SESSIONS_WORKER_URL = locate('./workers/sessions-worker.ts', './sessions-worker.cjs');

/** The program that runs a service for an agent for sale. */
export const SELL_PROGRAM_URL = locate('./selling/process/sell-process.ts', './sell-process.cjs');

/** The directory of the built page. */
export const PAGE_DIRECTORY = fileURLToPath(locate('../../out/renderer', '../renderer'));

/** The files that ship with the code, unpacked, because directories can't be copied out of an app.asar. */
export const RESOURCES_DIRECTORY = fileURLToPath(locate('../../resources', '../../resources')).replace(
  /([\\/]app\.asar)(?=[\\/])/,
  '$1.unpacked',
);

/** The template of this version's starter root. */
export const STARTER_TEMPLATE = `${RESOURCES_DIRECTORY}/starter-root`;
