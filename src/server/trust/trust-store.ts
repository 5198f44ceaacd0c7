import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import { isSamePath } from '../platform/root.ts';

const entrySchema = z.object({
  /** The path of the root, with symlinks resolved. */
  path: z.string(),
  /** False after trust was withdrawn. */
  trusted: z.boolean(),
  /** The script that may run; null if the root had none. */
  script: z.object({ name: z.string(), sha256: z.string() }).nullable(),
  at: z.string(),
});
const fileSchema = z.object({ version: z.literal(1), roots: z.array(entrySchema) });

/** The operator's decision about one root. */
export type TrustEntry = z.infer<typeof entrySchema>;

/** Keeps the decisions across restarts. */
export interface TrustStore {
  /** Returns undefined if there is no decision, or if the file can't be trusted. */
  find(realRoot: string): Promise<TrustEntry | undefined>;
  /** Replaces the decision about a root, unless `decide` returns undefined. */
  change(realRoot: string, decide: (before: TrustEntry | undefined) => TrustEntry | undefined): Promise<void>;
}

const MAX_FILE_BYTES = 1024 * 1024;
/** The oldest decisions are dropped, so that the file stays below its limit. */
const MAX_ENTRIES = 1000;

const FOREIGN_WRITE_BITS = 0o022;

/** Reads the file if only we can write it. Anyone else who can could trust a root in our name. */
const readOwnFile = async (path: string): Promise<string> => {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MAX_FILE_BYTES) throw new Error('it is too large');
    const isOurs = stats.uid === process.getuid?.() && (stats.mode & FOREIGN_WRITE_BITS) === 0;
    // Windows has no such owner or bits. The folder's access list protects the file there.
    if (process.platform !== 'win32' && !isOurs) throw new Error('other users can write to it');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
};

/**
 * Creates a {@link TrustStore} in a JSON file, mode 0600. A damaged one trusts nothing until it is replaced.
 */
export const createTrustStore = (path: string, logger: Pick<Logger, 'warn'>): TrustStore => {
  const lock = createKeyedLock();
  let hasWarned = false;

  const readAll = async (): Promise<TrustEntry[]> => {
    try {
      return fileSchema.parse(JSON.parse(await readOwnFile(path))).roots;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      if (!hasWarned)
        logger.warn({ err: error, file: path }, "trusted roots can't be read; no root is trusted");
      hasWarned = true;
      return [];
    }
  };

  return {
    find: async (realRoot) => (await readAll()).find((entry) => isSamePath(entry.path, realRoot)),

    change: (realRoot, decide) =>
      lock.run(path, async () => {
        const entries = await readAll();
        const next = decide(entries.find((entry) => isSamePath(entry.path, realRoot)));
        if (!next) return;
        const others = entries.filter((entry) => !isSamePath(entry.path, realRoot));
        const roots = [...others, next].slice(-MAX_ENTRIES);
        await mkdir(dirname(path), { recursive: true });
        const text = `${JSON.stringify({ version: 1, roots }, null, 2)}\n`;
        await writeAtomically(path, Buffer.from(text), { mode: 0o600 });
      }),
  };
};
