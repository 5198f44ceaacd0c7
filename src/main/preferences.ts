import { z } from 'zod';
import { systemCode } from '../server/platform/app-error.ts';
import {
  type DesktopPreferences,
  NOTIFICATION_EVENTS,
  NOTIFICATIONS,
  type NotificationEvent,
  type NotificationPreferences,
} from '../shared/desktop-bridge.ts';
import type { LoginItem } from './login-item.ts';
import type { DesktopSettings } from './settings.ts';

/** The preferences that the page can send. */
export const preferencesSchema = z.strictObject({
  closeToTray: z.boolean(),
  startAtLogin: z.boolean(),
  checkForUpdates: z.boolean(),
  notifications: z.record(z.enum(NOTIFICATION_EVENTS), z.boolean()),
}) satisfies z.ZodType<DesktopPreferences>;

/** Reads and writes a person's desktop preferences. */
export interface PreferenceStore {
  read(): DesktopPreferences;
  /** Returns whether an event shows a notification. Unlike {@link read}, doesn't query the system. */
  wantsNotification(kind: NotificationEvent): boolean;
  /** Throws a readable error if a part can't be saved. Parts that were already saved stay saved. */
  write(next: DesktopPreferences): void;
}

/** Combines our stored preferences with the system's. Calls `onChange` after each write. */
export const createPreferenceStore = (
  settings: Pick<DesktopSettings, 'read' | 'write'>,
  loginItem: LoginItem,
  onChange: (now: DesktopPreferences) => void,
): PreferenceStore => {
  const readNotifications = (): NotificationPreferences => ({
    ...NOTIFICATIONS,
    ...settings.read('preferences')?.notifications,
  });
  const read = (): DesktopPreferences => {
    const { closeToTray = false, checkForUpdates = false } = settings.read('preferences') ?? {};
    const notifications = readNotifications();
    return { closeToTray, checkForUpdates, notifications, startAtLogin: loginItem.isOn() };
  };
  return {
    read,
    wantsNotification: (kind) => readNotifications()[kind],
    write({ startAtLogin, ...kept }) {
      try {
        settings.write('preferences', kept);
      } catch (error) {
        throw new Error(
          `dot-mi can’t save its settings in settings.json in the data folder (${systemCode(error) ?? 'unknown'}).`,
          {
            cause: error,
          },
        );
      }
      onChange(read());
      if (startAtLogin !== loginItem.isOn()) loginItem.set(startAtLogin);
    },
  };
};
