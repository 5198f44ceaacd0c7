import { Notification } from 'electron';
import type { Logger } from '../server/platform/logger.ts';

/** A notification that is visible or in the system's list. */
export interface ShownNotification {
  /** Removes the notification from the screen and the list. */
  close(): void;
}

/** Shows a notification, and calls `onClick` when a person clicks it. Returns undefined if it can't be shown. */
export type ShowNotification = (
  text: { title: string; body: string },
  onClick: () => void,
) => ShownNotification | undefined;

/** How many notifications stay clickable in the system's list. */
const MOST_KEPT = 50;

/**
 * Returns whether this app can show notifications. On Linux without libnotify, it can't. The portable program for
 * Windows doesn't check, because even the check adds a Start menu shortcut and a registry key.
 */
export const areNotificationsSupported = (isPortable: boolean): boolean =>
  !isPortable && Notification.isSupported();

/** Creates the function that shows notifications. It never throws. */
export const createSystemNotifications = (logger: Logger, isPortable: boolean): ShowNotification => {
  // Keep references, because a click doesn't reach a notification that was garbage-collected.
  const kept = new Set<Notification>();
  const keep = (notification: Notification) => {
    kept.add(notification);
    for (const oldest of kept) {
      if (kept.size <= MOST_KEPT) return;
      kept.delete(oldest);
    }
  };

  const show: ShowNotification = ({ title, body }, onClick) => {
    if (!areNotificationsSupported(isPortable)) return undefined;
    const notification = new Notification({ title, body });
    // Don't drop the reference on `close`. On Windows, `close` also fires when the notification moves to the list.
    notification.on('click', () => {
      kept.delete(notification);
      onClick();
    });
    // This happens on macOS if the app isn't signed.
    notification.on('failed', (_event, reason) => {
      kept.delete(notification);
      logger.warn({ reason }, 'the system did not show a notification');
    });
    keep(notification);
    notification.show();
    return {
      close() {
        kept.delete(notification);
        notification.close();
      },
    };
  };

  return (text, onClick) => {
    try {
      return show(text, onClick);
    } catch (error) {
      // Electron throws if it isn't ready yet. A notification must never crash the app.
      logger.warn({ err: error }, 'a notification could not be shown');
      return undefined;
    }
  };
};
