import type { StoredSettings } from '../../shared/api/settings.ts';

/** What was kept, and where it was put aside when it could not be used. */
export interface ReadSettings {
  settings: StoredSettings;
  /** Absolute path of the damaged file that was kept aside; null when all was well. */
  damagedFile: string | null;
}

/** Keeps what a person set, over restarts of the program. Each host has its own: a file, or Electron's store. */
export interface SettingsStore {
  /** `check` throws for settings that cannot be; they are kept aside like a file that is no JSON. */
  read(check: (settings: StoredSettings) => void): Promise<ReadSettings>;
  /** Replaces them all, in one step. */
  write(settings: StoredSettings): Promise<void>;
}
