import type { StoredSettings } from '../../shared/api/settings.ts';
import type { Config } from '../config.ts';
import { AppError } from '../platform/app-error.ts';

/** The result of a change. */
export interface Applied {
  /** Whether the server restarts, once the open requests are answered. */
  restarting: boolean;
  /** The URL after the change. */
  url: string;
  /** The configuration after the change. */
  config: Config;
  /** SECURITY: the page token at a new address. It is a new one, so nobody at the old address can use it. */
  pageToken: string | undefined;
}

/** The program that runs the server. It saves the settings and restarts the server with them. */
export interface SettingsHost {
  /** The configuration in use. */
  config(): Config;
  /** The port that the server listens on, or undefined before it listens. */
  port(): number | undefined;
  stored(): StoredSettings;
  lastError(): string | null;
  damagedFile(): string | null;
  /** The configuration that these settings would give. Throws `ConfigError`. */
  preview(next: StoredSettings): Config;
  /**
   * Turns the saved settings into `next`, one change at a time, then writes and applies them. Throws what
   * `next` throws, and `restarting` while an earlier change is being applied.
   */
  change(next: (stored: StoredSettings) => Promise<StoredSettings>): Promise<Applied>;
}

/** Creates read-only settings for a server that nobody restarts, such as in a test or another program. */
export const fixedSettings = (config: Config): SettingsHost => ({
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
        'The program that started this server does not allow settings to change.',
      ),
    ),
});
