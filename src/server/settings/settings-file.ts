import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storedSettingsSchema } from '../../shared/api/settings.ts';
import { systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import { readPrivateFile } from '../platform/private-files.ts';
import type { SettingsStore } from './settings-store.ts';

/** A damaged file's new path: `settings.damaged-2026-03-01T12-00-00-000Z.json`. Windows allows no colon. */
export const asideOf = (path: string, nowMs: number) =>
  `${path.replace(/\.json$/, '')}.damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.json`;

/**
 * Creates a {@link SettingsStore} in a JSON file, mode 0600. Renames an unusable file, never overwrites it.
 *
 * SECURITY: a file of another user is unusable, because it could name that user's root or mint.
 */
export const createSettingsFile = (path: string, clock: Pick<Clock, 'now'>): SettingsStore => ({
  async read(check) {
    try {
      const file = await readPrivateFile(path);
      if (!file) return { settings: {}, damagedFile: null };
      const settings = storedSettingsSchema.parse(JSON.parse(file.text));
      check(settings);
      return { settings, damagedFile: null };
    } catch (error) {
      if (systemCode(error) !== undefined) throw error;
      const damagedFile = asideOf(path, clock.now());
      await rename(path, damagedFile);
      return { settings: {}, damagedFile };
    }
  },

  async write(settings) {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomically(path, Buffer.from(`${JSON.stringify(settings, null, 2)}\n`), { mode: 0o600 });
  },
});
