import type { StoredSettings } from '../../shared/api/settings.ts';

/** The saved settings, and the damaged file if they were unusable. */
interface ReadSettings {
  settings: StoredSettings;
  /** Absolute path of the damaged file that was set aside, or null. */
  damagedFile: string | null;
  /** Why the file was unusable, as a sentence for the log. */
  problem?: string;
}

/** Saves the operator's settings across restarts. Each host has its own store: a file, or Electron's. */
export interface SettingsStore {
  /** `check` throws for invalid settings, which are set aside like a file that isn't JSON. */
  read(check: (settings: StoredSettings) => void): Promise<ReadSettings>;
  /** Replaces all settings atomically. */
  write(settings: StoredSettings): Promise<void>;
}
