import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import Store from 'electron-store';
import { z } from 'zod';
import { isNotFound } from '../server/platform/app-error.ts';
import type { Logger } from '../server/platform/logger.ts';
import { asideOf } from '../server/settings/settings-file.ts';
import type { SettingsStore } from '../server/settings/settings-store.ts';
import { storedSettingsSchema } from '../shared/api/settings.ts';
import { migrateSettings, SETTINGS_VERSION, type SettingsShape, settingsSchema } from './settings-schema.ts';

/** The settings that the desktop app keeps between starts. */
export interface Settings {
  read<K extends keyof SettingsShape>(key: K): SettingsShape[K];
  /** Throws the disk's errors. */
  write<K extends keyof SettingsShape>(key: K, value: NonNullable<SettingsShape[K]>): void;
  /** The new path of a damaged file; null when all was well. */
  readonly damagedFile: string | null;
  /** Keeps the settings of the server. */
  readonly server: SettingsStore;
}

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Reads the file in today's shape. `damagedFile` is the new path of a damaged file. */
const readShape = (path: string): { shape: SettingsShape; damagedFile: string | null; isOld: boolean } => {
  const text = readText(path);
  const empty: SettingsShape = { version: SETTINGS_VERSION };
  if (text === undefined) return { shape: empty, damagedFile: null, isOld: false };
  try {
    const read: unknown = JSON.parse(text);
    const { version } = z.looseObject({ version: z.unknown().optional() }).parse(read);
    return {
      shape: settingsSchema.parse(migrateSettings(read)),
      damagedFile: null,
      isOld: version !== SETTINGS_VERSION,
    };
  } catch {
    const damagedFile = asideOf(path, Date.now());
    renameSync(path, damagedFile);
    return { shape: empty, damagedFile, isOld: false };
  }
};

/**
 * Opens `settings.json` in the user-data folder. Renames a damaged file to `settings.damaged-<time>.json` and
 * uses the defaults. Throws the disk's errors.
 */
export const openSettings = (logger: Logger): Settings => {
  const path = join(app.getPath('userData'), 'settings.json');
  const { shape, damagedFile, isOld } = readShape(path);
  if (damagedFile !== null)
    logger.warn(
      { file: damagedFile },
      'the settings file is damaged, so dot-mi keeps a copy and uses the defaults',
    );
  // We check the schema and handle a damaged file. The store writes in one step and keeps the path.
  const store = new Store<SettingsShape>({ name: 'settings', clearInvalidConfig: false });
  if (isOld) store.store = shape;

  return {
    read: (key) => store.get(key),
    write(key, value) {
      store.set({ version: SETTINGS_VERSION, [key]: value });
    },
    damagedFile,
    server: {
      async read(check) {
        const kept = store.get('server') ?? {};
        try {
          const settings = storedSettingsSchema.parse(kept);
          check(settings);
          return { settings, damagedFile };
        } catch {
          const aside = asideOf(path, Date.now());
          copyFileSync(path, aside);
          store.delete('server');
          return { settings: {}, damagedFile: aside };
        }
      },
      write: async (settings) => store.set({ version: SETTINGS_VERSION, server: settings }),
    },
  };
};
