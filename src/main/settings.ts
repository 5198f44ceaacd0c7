import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import Store from 'electron-store';
import { z } from 'zod';
import { isNotFound, systemCode } from '../server/platform/app-error.ts';
import type { Logger } from '../server/platform/logger.ts';
import { requireOnlyOurs } from '../server/platform/private-files.ts';
import { readRegularSync } from '../server/platform/regular-file.ts';
import { asideOf, problemOfSettings } from '../server/settings/settings-file.ts';
import type { SettingsStore } from '../server/settings/settings-store.ts';
import { storedSettingsSchema } from '../shared/api/settings.ts';
import { THEMES } from '../shared/desktop-bridge.ts';

/** The format version that this program writes. */
const SETTINGS_VERSION = 1;

/** The window's position, in device-independent pixels. */
const bounds = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** The data that {@link DesktopSettings} stores. Unknown fields belong to a newer version and are preserved. */
const settingsSchema = z.looseObject({
  version: z.literal(SETTINGS_VERSION),
  window: z
    .object({ bounds, isMaximized: z.boolean(), zoomLevel: z.number().min(-8).max(9) })
    .partial()
    .optional(),
  theme: z.enum(THEMES).optional(),
  preferences: z
    .object({
      closeToTray: z.boolean(),
      checkForUpdates: z.boolean(),
      // By event. A newer version can have more of them.
      notifications: z.record(z.string(), z.boolean()),
    })
    .partial()
    .optional(),
  /** The server's settings. The server decides which values are valid. */
  server: z.unknown().optional(),
});

type SettingsShape = z.infer<typeof settingsSchema>;

/** The window's position and state. */
export type WindowState = NonNullable<SettingsShape['window']>;

/** The bounds in a {@link WindowState}. */
export type WindowBounds = z.infer<typeof bounds>;

/** The settings that the desktop app stores between starts. */
export interface DesktopSettings {
  read<K extends keyof SettingsShape>(key: K): SettingsShape[K];
  /** Throws file system errors. */
  write<K extends keyof SettingsShape>(key: K, value: NonNullable<SettingsShape[K]>): void;
  /** The new path of a damaged file, or null. */
  readonly damagedFile: string | null;
  readonly server: SettingsStore;
}

/** The size limit for a settings file. Ours are always smaller. */
const MAX_BYTES = 1024 * 1024;

/** Reads a file. Throws `NotPrivateError` if others could have written it, and file system errors. */
const readText = (path: string): string | undefined => {
  try {
    const read = readRegularSync(path, { maxBytes: MAX_BYTES, inside: undefined });
    if (read.stats) requireOnlyOurs(read.stats, path);
    if ('problem' in read) throw new Error(read.problem);
    return read.bytes.toString('utf8');
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Sets aside an unusable file. Returns its new path and the problem, or undefined if the file is fine. */
const setAsideIfDamaged = (path: string): { damagedFile: string; problem: string } | undefined => {
  try {
    const text = readText(path);
    if (text !== undefined) settingsSchema.parse(JSON.parse(text));
    return undefined;
  } catch (error) {
    if (systemCode(error) !== undefined) throw error;
    const damagedFile = asideOf(path, Date.now());
    // If the move fails, dot-mi doesn't start, because the store would read the damaged file.
    renameSync(path, damagedFile);
    return { damagedFile, problem: problemOfSettings(error) };
  }
};

/**
 * Opens `settings.json` in the user-data folder. Renames a damaged file to `settings.damaged-<time>.json` and uses
 * the defaults. Throws file system errors.
 */
export const openSettings = (logger: Logger): DesktopSettings => {
  const path = join(app.getPath('userData'), 'settings.json');
  const damaged = setAsideIfDamaged(path);
  const damagedFile = damaged?.damagedFile ?? null;
  if (damaged)
    logger.warn(
      { file: damagedFile, problem: damaged.problem },
      'the settings file could not be used, so it was set aside and the defaults apply',
    );
  // We check the schema and handle a damaged file ourselves. The store writes atomically and keeps the path.
  // SECURITY: with the umask of many systems, the user's group could otherwise write to the file.
  const store = new Store<SettingsShape>({
    name: 'settings',
    clearInvalidConfig: false,
    configFileMode: 0o600,
  });

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
