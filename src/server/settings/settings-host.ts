import type { StoredSettings } from '../../shared/api/settings.ts';
import type { Config } from '../config.ts';
import { AppError } from '../platform/app-error.ts';

/** What became of a change. */
export interface Applied {
  /** Whether the server ends and starts again, once the requests under way are answered. */
  restarting: boolean;
  /** Where it answers then. */
  url: string;
  /** What serves then. */
  config: Config;
  /** SECURITY: the page token there. An address that changes gets another one, so nobody at the old one can use it. */
  pageToken: string | undefined;
}

/** Whoever runs the server, as the settings see it: keeps them, and starts the server again with them. */
export interface SettingsHost {
  /** The configuration that serves now. */
  config(): Config;
  /** The port it listens on; undefined before it does. */
  port(): number | undefined;
  stored(): StoredSettings;
  lastError(): string | null;
  damagedFile(): string | null;
  /** The configuration that settings would give. Throws `ConfigError`. */
  preview(next: StoredSettings): Config;
  /**
   * Makes `next` of what is kept, one change at a time, writes it and applies it. Throws what `next` throws, and
   * `restarting` while an earlier change is being applied.
   */
  change(next: (stored: StoredSettings) => Promise<StoredSettings>): Promise<Applied>;
}

/** The settings of a server that nobody would start again, as a test or another program runs it: they can be read. */
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
