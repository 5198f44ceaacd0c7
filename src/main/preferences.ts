import { z } from 'zod';
import { systemCode } from '../server/platform/app-error.ts';
import type { DesktopPreferences, NotificationPreferences } from '../shared/desktop-bridge.ts';
import type { LoginItem } from './login-item.ts';
import type { DesktopSettings } from './settings.ts';

/** The preferences that the page can send. */
export const preferencesSchema = z.strictObject({
  closeToTray: z.boolean(),
  startAtLogin: z.boolean(),
  checkForUpdates: z.boolean(),
  notifications: z.strictObject({
    payments: z.boolean(),
    attention: z.boolean(),
    mint: z.boolean(),
    budgets: z.boolean(),
    sales: z.boolean(),
    waiting: z.boolean(),
    done: z.boolean(),
    updates: z.boolean(),
  }),
}) satisfies z.ZodType<DesktopPreferences>;

/** Reads and writes a person's desktop preferences. */
export interface PreferenceStore {
  read(): DesktopPreferences;
  /** Returns whether an event shows a notification. Unlike {@link read}, doesn't query the system. */
  wantsNotification(kind: keyof NotificationPreferences): boolean;
  /** Throws a readable error if a part can't be saved. Parts that were already saved stay saved. */
  write(next: DesktopPreferences): void;
}

/** Combines our stored preferences with the system's. Calls `onChange` after each write. */
export const createPreferenceStore = (
  settings: Pick<DesktopSettings, 'read' | 'write'>,
  loginItem: LoginItem,
  onChange: (now: DesktopPreferences) => void,
): PreferenceStore => {
  /**
   * Events show notifications until the person turns them off. `done` doesn't: `run-finish-notify.ts` reports finished
   * work.
   */
  const readNotifications = (): NotificationPreferences => {
    const {
      payments = true,
      attention = true,
      mint = true,
      budgets = true,
      sales = true,
      waiting = true,
      done = false,
      updates = true,
    } = settings.read('preferences')?.notifications ?? {};
    return { payments, attention, mint, budgets, sales, waiting, done, updates };
  };
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
