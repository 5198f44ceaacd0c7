import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { PREFERENCES, type PreferenceName, type Preferences } from '../../shared/api/preferences.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import { readPrivateFile } from '../platform/private-files.ts';

/** Keeps what a person chose or opened on the page. */
export interface PreferencesService {
  /** Empty if nothing was kept, or if the file can't be read. */
  read(): Promise<Preferences>;
  /** Null removes a text. Returns all of them. Throws the disk's errors. */
  change(changes: Partial<Record<PreferenceName, string | null>>): Promise<Preferences>;
}

const fileSchema = z.object({
  version: z.literal(1),
  preferences: z.partialRecord(z.enum(PREFERENCES), z.string()),
});

/** Creates the service. It keeps everything in one file. */
export const createPreferencesService = (file: string, logger: Pick<Logger, 'warn'>): PreferencesService => {
  const lock = createKeyedLock();

  const read = async (): Promise<Preferences> => {
    try {
      const found = await readPrivateFile(file);
      return found === undefined ? {} : fileSchema.parse(JSON.parse(found.text)).preferences;
    } catch (error) {
      logger.warn({ err: error, file }, "what the page remembers can't be read");
      return {};
    }
  };

  return {
    read,
    change: (changes) =>
      lock.run(file, async () => {
        const merged = Object.entries({ ...(await read()), ...changes });
        const preferences: Preferences = Object.fromEntries(
          merged.flatMap(([name, text]) => (text === null || text === undefined ? [] : [[name, text]])),
        );
        await mkdir(dirname(file), { recursive: true });
        const text = `${JSON.stringify({ version: 1, preferences }, null, 2)}\n`;
        await writeAtomically(file, Buffer.from(text), { mode: 0o600 });
        return preferences;
      }),
  };
};
