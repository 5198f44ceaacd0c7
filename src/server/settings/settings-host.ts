import type { StoredSettings } from '../../shared/api/settings.ts';
import type { Config } from '../config.ts';
import { AppError } from '../platform/app-error.ts';

/** The result of a change to the settings. */
export interface Applied {
  /** True if the server restarts once the open requests have ended. */
  restarting: boolean;
  url: string;
  /** The configuration after the change. */
  config: Config;
  /** SECURITY: a new page token for the new address, so that nobody at the old address can use it. */
  pageToken: string | undefined;
}

/** The program that runs the server. It saves the settings and restarts the server with them. */
export interface SettingsHost {
  /** Returns the configuration in use. */
  config(): Config;
  /** Returns the port that the server listens on, or undefined before it listens. */
  port(): number | undefined;
  stored(): StoredSettings;
  lastError(): string | null;
  damagedFile(): string | null;
  /** Returns the configuration that these settings would create. Throws `ConfigError`. */
  preview(next: StoredSettings): Config;
  /**
   * Converts the saved settings with `next`, one change at a time, then writes and applies them. Throws the errors of
   * `next`, and `restarting` while an earlier change is being applied.
   */
  change(next: (stored: StoredSettings) => Promise<StoredSettings>): Promise<Applied>;
  /** Restarts the server with the same settings, once open requests have ended. */
  restart(): void;
}

/** Creates read-only settings for a server whose host can't restart it, such as in a test or another program. */
export const fixedSettings = (config: Config): Omit<SettingsHost, 'restart'> => ({
  config: () => config,
  port: () => undefined,
  stored: () => ({}),
  lastError: () => null,
  damagedFile: () => null,
  preview: () => config,
  change: () =>
    Promise.reject(
      new AppError(
        'setting_overridden',
        'The program that started this server doesn’t allow changes to the server’s settings.',
      ),
    ),
});
