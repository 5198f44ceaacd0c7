import { z } from 'zod';
import { createJsonStore } from '../platform/json-store.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';

const entrySchema = z.object({
  /** The place of the root, which changes if its files may be others ({@link RootIdentity}). */
  place: z.string(),
  /** The root's path, with symlinks resolved, for people who read this file. */
  path: z.string(),
  /** False after trust was withdrawn. */
  trusted: z.boolean(),
  /** The script that can run. Null if the root had none. */
  script: z.object({ name: z.string(), sha256: z.string() }).nullable(),
  at: z.string(),
});
const store = createJsonStore(z.object({ roots: z.array(entrySchema) }));

/** The operator's decision about one root. */
export type TrustEntry = z.infer<typeof entrySchema>;

/** Stores the decisions across restarts. */
export interface TrustStore {
  /** Returns undefined if there's no decision, or if the file can't be trusted. */
  find(place: string): Promise<TrustEntry | undefined>;
  /** Replaces the decision about a root, unless `decide` returns undefined. */
  change(place: string, decide: (before: TrustEntry | undefined) => TrustEntry | undefined): Promise<void>;
}

/** The limit for stored decisions. Beyond it, the oldest are dropped, so that the file stays small. */
const MAX_ENTRIES = 1000;

/** Creates a {@link TrustStore} in a JSON file, mode 0600. A damaged file trusts nothing until it's replaced. */
export const createTrustStore = (path: string, logger: Pick<Logger, 'warn'>): TrustStore => {
  const lock = createKeyedLock();
  let hasWarned = false;

  const readAll = async (): Promise<TrustEntry[]> => {
    try {
      // SECURITY: anyone else who can write the file could trust a root in our name.
      return (await store.read(path))?.roots ?? [];
    } catch (error) {
      if (!hasWarned)
        logger.warn({ err: error, file: path }, 'trusted roots can’t be read; no root is trusted');
      hasWarned = true;
      return [];
    }
  };

  return {
    find: async (place) => (await readAll()).find((entry) => entry.place === place),

    change: (place, decide) =>
      lock.run(path, async () => {
        const entries = await readAll();
        const next = decide(entries.find((entry) => entry.place === place));
        if (!next) return;
        const others = entries.filter((entry) => entry.place !== place);
        await store.write(path, { roots: [...others, next].slice(-MAX_ENTRIES) });
      }),
  };
};
