import { z } from 'zod';
import { createJsonStore } from '../platform/json-store.ts';
import type { Logger } from '../platform/logger.ts';

const contents = z.object({
  /** When each agent last finished, in milliseconds since 1970, by the agent's id. */
  done: z.record(z.string(), z.number()),
});

/** Stores when agents last finished. Live runs aren't stored, because their next report restores them. */
export interface StatusStore {
  /** Empty if nothing is stored or the file can't be read. */
  read(): Promise<ReadonlyMap<string, number>>;
  /** Replaces the stored times. Never rejects. */
  write(done: ReadonlyMap<string, number>): Promise<void>;
}

/** Creates a {@link StatusStore} in a JSON file, mode 0600. */
export const createStatusStore = (path: string, logger: Pick<Logger, 'warn'>): StatusStore => {
  const store = createJsonStore(contents);
  return {
    async read() {
      try {
        return new Map(Object.entries((await store.read(path))?.done ?? {}));
      } catch (error) {
        logger.warn({ err: error, file: path }, 'the times when agents last finished can’t be read');
        return new Map();
      }
    },
    async write(done) {
      try {
        await store.write(path, { done: Object.fromEntries(done) });
      } catch (error) {
        logger.warn({ err: error, file: path }, 'the times when agents last finished can’t be saved');
      }
    },
  };
};
