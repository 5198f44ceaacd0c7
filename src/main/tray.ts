import { join } from 'node:path';
import { app, Menu, nativeImage, Tray } from 'electron';
import { RESOURCES_DIRECTORY } from '../server/locations.ts';

/** What the tray does. */
export interface TrayHost {
  show(): void;
  /** Of the API, for its tooltip. */
  url(): string;
}

/** The icon in the tray, there while it is wanted. */
export interface TrayIcon {
  isThere(): boolean;
  want(wanted: boolean): void;
}

// macOS tints a template image for its menu bar; both have an @2x beside them.
const imagePath = join(
  RESOURCES_DIRECTORY,
  'tray',
  process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png',
);

/** Makes the icon appear and go. */
export const createTrayIcon = (host: TrayHost): TrayIcon => {
  // Held on to: Electron removes the icon of a tray that is collected.
  let tray: Tray | undefined;

  const appear = () => {
    tray = new Tray(nativeImage.createFromPath(imagePath));
    tray.setToolTip(`dot-mi: ${host.url()}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Open dot-mi', click: () => host.show() },
        // Not the role: some Linux trays show none.
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
