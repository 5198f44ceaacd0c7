import { z } from 'zod';
import { PREFERENCES, type PreferenceName, type Preferences } from '../../shared/api/preferences.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createJsonStore } from '../platform/json-store.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { createRareWarning, type Logger } from '../platform/logger.ts';
import { createRecentRead } from '../platform/recent-read.ts';

/** Stores what a person chose on the page. */
export interface PreferencesService {
  /** Empty if nothing is stored or the file can't be read. */
  read(): Promise<Preferences>;
  /** Returns the theme from memory. It's at most a second older than the file. */
  theme(): Promise<string | undefined>;
  /** Returns whether calls that a subscription covers count as spent outside of budgets, as {@link theme} does. */
  countsSubscriptions(): Promise<boolean>;
  /** Sets preferences, and removes those that are null. Returns all of them. Throws the disk's errors. */
  change(changes: Partial<Record<PreferenceName, string | null>>): Promise<Preferences>;
}

const store = createJsonStore(z.object({ preferences: z.partialRecord(z.enum(PREFERENCES), z.string()) }));

/** Creates the service, which stores everything in one file. */
export const createPreferencesService = (
  file: string,
  logger: Pick<Logger, 'warn'>,
  clock: Pick<Clock, 'now'> = systemClock,
): PreferencesService => {
  const lock = createKeyedLock();
  const warn = createRareWarning(logger, clock);

  const read = async (): Promise<Preferences> => {
    try {
      return (await store.read(file))?.preferences ?? {};
    } catch (error) {
      warn({ err: error, file }, 'the page’s saved preferences can’t be read');
      return {};
    }
  };

  const recent = createRecentRead(read, clock);

  return {
    read,
    theme: async () => (await recent.get()).theme,
    countsSubscriptions: async () => (await recent.get())['count-subscriptions'] === 'yes',
    change: (changes) =>
      lock.run(file, async () => {
        const merged = Object.entries({ ...(await read()), ...changes });
        const preferences: Preferences = Object.fromEntries(
          merged.flatMap(([name, text]) => (text === null || text === undefined ? [] : [[name, text]])),
        );
        await store.write(file, { preferences });
        recent.set(preferences);
        return preferences;
      }),
  };
};
