import { parentPort, workerData } from 'node:worker_threads';
import { createAgentsScan } from './agents/scan-agents.ts';
import { createExtensionsScan } from './catalog/scan-extensions.ts';
import { createSkillsScan } from './catalog/scan-skills.ts';
import { AppError, fromSystemError } from './platform/app-error.ts';
import { isDirectoryThere } from './platform/list-directory.ts';
import { createRoot, rootUnavailable } from './platform/root.ts';
import type { ScanAnswer, ScanQuestion } from './platform/scanner.ts';

/**
 * Entry of the scanner's thread: looks through whole folders with blocking calls, which cost a tenth of the
 * asynchronous ones, where they block nobody. Files are parsed here too, so that a hostile one cannot hold up a
 * request. An answer that is the same as before crosses back as one word.
 */
const root = createRoot((workerData as { rootPath: string }).rootPath);

const scans = {
  agents: createAgentsScan(root),
  extensions: createExtensionsScan(root),
  skills: createSkillsScan(root),
} as const;

const isScan = (name: string): name is keyof typeof scans => Object.hasOwn(scans, name);

/** The scans there are and what each returns. */
export type Scans = { [N in keyof typeof scans]: ReturnType<(typeof scans)[N]> };

const told = new Map<string, unknown>();

const answer = ({ number, name }: ScanQuestion): ScanAnswer => {
  try {
    if (!isScan(name)) throw new Error(`there is no scan "${name}"`);
    if (!isDirectoryThere(root.path)) throw rootUnavailable();
    const value = scans[name](Date.now());
    if (told.get(name) === value) return { number, kind: 'same' };
    told.set(name, value);
    return { number, kind: 'value', value };
  } catch (error) {
    // Told here: an error that crosses threads loses its code.
    const known = error instanceof AppError ? error : fromSystemError(error);
    if (known) return { number, kind: 'problem', code: known.code, message: known.message };
    return { number, kind: 'error', error };
  }
};

parentPort?.on('message', (question: ScanQuestion) => parentPort?.postMessage(answer(question)));
