import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { app, Menu, nativeImage, Tray } from 'electron';
import { RESOURCES_DIRECTORY } from '../server/locations.ts';

/** The tray's actions. */
interface TrayHost {
  show(): void;
  /** The API's address, for the tooltip. */
  url(): string;
  /** Whether the desktop shows tray icons. */
  hasTray(): Promise<boolean>;
  /** Called when the system refuses the icon after all. Closing the window then quits, as without a tray. */
  onRefused(error: unknown): void;
}

/** The icon in the tray, visible while it is wanted and the desktop has a tray. */
export interface TrayIcon {
  isThere(): boolean;
  want(wanted: boolean): void;
  /** Asks the desktop whether it has a tray now, and shows or removes the icon. */
  look(): Promise<boolean>;
  /**
   * Waits until the icon is there. Returns false if it isn't wanted, or after `timeoutMs`. At login, this
   * program may start before the desktop's tray.
   */
  appears(timeoutMs: number): Promise<boolean>;
}

const LOOK_AGAIN_MS = 1_000;

// macOS tints a template image for its menu bar. Windows picks the size that fits its scale from an .ico. The
// other images have an @2x version next to them.
const IMAGES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'trayTemplate.png',
  win32: 'tray.ico',
};
const imagePath = join(RESOURCES_DIRECTORY, 'tray', IMAGES[process.platform] ?? 'tray.png');

/** Shows and removes the icon. */
export const createTrayIcon = (host: TrayHost): TrayIcon => {
  // A reference, because Electron removes the icon of a garbage-collected tray.
  let tray: Tray | undefined;

  const appear = () => {
    tray = new Tray(nativeImage.createFromPath(imagePath));
    tray.setToolTip(`dot-mi: ${host.url()}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Open dot-mi', click: () => host.show() },
        // Not the role: some Linux trays don't show items with roles.
        { label: 'Quit dot-mi', click: () => app.quit() },
      ]),
    );
    // On macOS a click opens the menu already.
    if (process.platform !== 'darwin') tray.on('click', () => host.show());
  };

  let isWanted = false;
  let isAvailable = false;
  const update = () => {
    const isShown = isWanted && isAvailable;
    if (isShown === (tray !== undefined)) return;
    tray?.destroy();
    tray = undefined;
    if (!isShown) return;
    try {
      appear();
    } catch (error) {
      tray = undefined;
      isAvailable = false;
      host.onRefused(error);
    }
  };
  const look = async () => {
    isAvailable = await host.hasTray();
    update();
    return isAvailable;
  };

  return {
    isThere: () => tray !== undefined,
    want(wanted) {
      isWanted = wanted;
      if (isWanted && !isAvailable) void look();
      else update();
    },
    look,
    async appears(timeoutMs) {
      const untilMs = Date.now() + timeoutMs;
      while (isWanted && !(await look()) && Date.now() < untilMs) await delay(LOOK_AGAIN_MS);
      return tray !== undefined;
    },
  };
};
