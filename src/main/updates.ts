import { app, dialog } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { systemCode } from '../server/platform/app-error.ts';
import type { Logger } from '../server/platform/logger.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Looks for newer versions, when a person agreed to it. */
export interface Updates {
  /** Begins or ends the daily look. */
  agree(agreed: boolean): void;
  /** Looks now, and also says when there is nothing: the person asked. */
  checkNow(): Promise<void>;
}

/** Loaded when it is first needed: whoever does not agree never runs a line of it. */
const loadUpdater = async (): Promise<AppUpdater> => {
  const { default: updater } = await import('electron-updater');
  return updater.autoUpdater;
};

const reasonOf = (error: unknown): string =>
  // The file that names the release page is put into a package when it is built.
  systemCode(error) === 'ENOENT'
    ? 'This package was built without a place to ask.'
    : // The updater's messages go on with headers and bodies.
      String(error).split('\n', 1).join('');

/** Looks at the release page that the package names, at once and then daily. Nothing is fetched or installed unasked. */
export const createUpdates = (logger: Logger, load: () => Promise<AppUpdater> = loadUpdater): Updates => {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  const offer = async (updater: AppUpdater, version: string): Promise<void> => {
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `dot-mi ${version} is there.`,
      detail: `You have ${app.getVersion()}. What is downloaded is checked against the checksum of the release page.`,
      buttons: ['Download and install at the next quit', 'Later'],
      defaultId: 0,
      cancelId: 1,
    });
    if (response === 0) await updater.downloadUpdate();
  };

  const look = async (isAsked: boolean): Promise<void> => {
    try {
      const updater = await load();
      updater.autoDownload = false;
      updater.autoInstallOnAppQuit = true;
      updater.logger = null;
      const found = await updater.checkForUpdates();
      if (found?.isUpdateAvailable) await offer(updater, found.updateInfo.version);
      else if (isAsked) await dialog.showMessageBox({ type: 'info', message: 'This is the newest version.' });
    } catch (error) {
      logger.warn({ err: error }, 'looking for a newer version failed');
      if (isAsked)
        await dialog.showMessageBox({
          type: 'warning',
          message: 'Whether there is a newer version could not be found out.',
          detail: reasonOf(error),
        });
    }
  };

  const lookOnce = (isAsked: boolean): Promise<void> => {
    looking ??= look(isAsked).finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    agree(agreed) {
      if (agreed === (timer !== undefined)) return;
      clearInterval(timer);
      timer = undefined;
      // A version from the sources has no release page.
      if (!agreed || !app.isPackaged) return;
      timer = setInterval(() => void lookOnce(false), DAY_MS).unref();
      void lookOnce(false);
    },
    checkNow: () => lookOnce(true),
  };
};
