import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storedSettingsSchema } from '../../shared/api/settings.ts';
import { systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import { NotPrivateError, readOwnFile } from '../platform/private-files.ts';
import type { SettingsStore } from './settings-store.ts';

/** Returns why a settings file can't be used, as a sentence for the log. */
export const problemOfSettings = (error: unknown): string =>
  error instanceof NotPrivateError ? error.message : 'The settings file is damaged.';

/** Returns a damaged file's new path: `settings.damaged-2026-03-01T12-00-00-000Z.json`. Windows forbids colons. */
export const asideOf = (path: string, nowMs: number) =>
  `${path.replace(/\.json$/, '')}.damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.json`;

/** Creates a {@link SettingsStore} in a JSON file, mode 0600. Renames an unusable file, never overwrites it. */
export const createSettingsFile = (path: string, clock: Pick<Clock, 'now'>): SettingsStore => ({
  async read(check) {
    try {
      // SECURITY: settings name the mint, and the root whose script can run.
      const text = await readOwnFile(path);
      const settings = text === undefined ? {} : storedSettingsSchema.parse(JSON.parse(text));
      check(settings);
      return { settings, damagedFile: null };
    } catch (error) {
      // A disk error doesn't mean that the settings are damaged.
      if (systemCode(error) !== undefined) throw error;
      const aside = asideOf(path, clock.now());
      // In another user's directory, the file may have to stay.
      const damagedFile = await rename(path, aside).then(
        () => aside,
        () => path,
      );
      return { settings: {}, damagedFile, problem: problemOfSettings(error) };
    }
  },

  async write(settings) {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomically(path, Buffer.from(`${JSON.stringify(settings, null, 2)}\n`), { mode: 0o600 });
  },
});
