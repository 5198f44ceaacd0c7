import { join } from 'node:path';
import { app, Menu, nativeImage, Tray } from 'electron';
import { RESOURCES_DIRECTORY } from '../server/locations.ts';

/** The tray's actions. */
export interface TrayHost {
  show(): void;
  /** The API's address, for the tooltip. */
  url(): string;
}

/** The icon in the tray, visible while it is wanted. */
export interface TrayIcon {
  isThere(): boolean;
  want(wanted: boolean): void;
}

// macOS tints a template image for its menu bar. Both images have an @2x version next to them.
const imagePath = join(
  RESOURCES_DIRECTORY,
  'tray',
  process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png',
);

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
    tray.on('click', () => host.show());
  };

  return {
    isThere: () => tray !== undefined,
    want(wanted) {
      if (wanted === (tray !== undefined)) return;
      if (wanted) appear();
      else {
        tray?.destroy();
        tray = undefined;
      }
    },
  };
};
