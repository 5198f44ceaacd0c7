import { mkdir, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storedSettingsSchema } from '../../shared/api/settings.ts';
import { isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import type { SettingsStore } from './settings-store.ts';

const readText = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** A damaged file's new path: `settings.damaged-2026-03-01T12-00-00-000Z.json`. Windows allows no colon. */
export const asideOf = (path: string, nowMs: number) =>
  `${path.replace(/\.json$/, '')}.damaged-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.json`;

/**
 * Creates a {@link SettingsStore} in a JSON file, mode 0600. Renames an unusable file, never overwrites it.
 */
export const createSettingsFile = (path: string, clock: Pick<Clock, 'now'>): SettingsStore => ({
  async read(check) {
    const text = await readText(path);
    if (text === undefined) return { settings: {}, damagedFile: null };
    try {
      const settings = storedSettingsSchema.parse(JSON.parse(text));
      check(settings);
      return { settings, damagedFile: null };
    } catch {
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
