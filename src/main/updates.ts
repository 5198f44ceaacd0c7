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
    ? 'This package was built without a release page.'
    : // The updater's messages go on with headers and bodies.
      String(error).split('\n', 1).join('');

const say = async (message: string, detail = '', type: 'info' | 'warning' = 'info'): Promise<void> => {
  await dialog.showMessageBox({ type, message, detail });
};

/** Says what a look found, where a person asked for it. */
type Answer = typeof say;

/** What the updates need of the program. */
export interface UpdatesHost {
  logger: Logger;
  /** The portable program of Windows, which the updater cannot replace. */
  isPortable: boolean;
  load?: () => Promise<AppUpdater>;
}

/**
 * Looks at the release page that the package names, at once and then daily. Nothing is fetched unasked; what was fetched
 * is installed when the program ends, and is offered daily until then.
 */
export const createUpdates = ({ logger, isPortable, load = loadUpdater }: UpdatesHost): Updates => {
  let timer: NodeJS.Timeout | undefined;
  /** `isAsked` says that a person waits for its result, and may come true while it is under way. */
  let look: { isAsked: boolean; ended: Promise<void> } | undefined;
  let fetching: string | undefined;
  let fetched: string | undefined;
  let installOffer: Promise<void> | undefined;

  const have = () => `You have ${app.getVersion()}.`;

  const offerInstall = async (version: string): Promise<void> => {
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `dot-mi ${version} is ready to install.`,
      detail: `${have()} dot-mi installs the new version when it quits. Agents can’t call it during the update.`,
      buttons: ['Quit and install', 'Later'],
      defaultId: 0,
      cancelId: 1,
    });
    // Not the updater's own restart: that would not wait for unsaved text, nor for the wallet.
    if (response === 0) app.quit();
  };

  /** At most one such question at a time: a look of the next day must not put another one over it. */
  const offerInstallOnce = (version: string): Promise<void> => {
    installOffer ??= offerInstall(version).finally(() => {
      installOffer = undefined;
    });
    return installOffer;
  };

  const fetchVersion = async (updater: AppUpdater, version: string): Promise<void> => {
    fetching = version;
    try {
      await updater.downloadUpdate();
      fetched = version;
    } catch (error) {
      logger.warn({ err: error }, 'could not download the new version');
      return say(
        `dot-mi couldn’t download version ${version}.`,
        `${reasonOf(error)}\n\nNothing changed. Check your internet connection and free disk space. Then choose “Check for Updates…” in the menu.`,
        'warning',
      );
    } finally {
      fetching = undefined;
    }
    await offerInstallOnce(version);
  };

  const offer = async (updater: AppUpdater, version: string): Promise<void> => {
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: `dot-mi ${version} is available.`,
      detail: `${have()} dot-mi checks the download against the checksum on the release page.`,
      buttons: ['Download', 'Later'],
      defaultId: 0,
      cancelId: 1,
    });
    // Not waited for: who looks again meanwhile is told that it is under way.
    if (response === 0) void fetchVersion(updater, version);
  };

  const lookWith = async (updater: AppUpdater, answer: Answer): Promise<void> => {
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = true;
    updater.logger = null;
    const found = await updater.checkForUpdates();
    // It knows of no way to replace what it runs in: an unpacked folder, say.
    if (!found) return answer('This copy of dot-mi can’t update itself.', have());
    if (!found.isUpdateAvailable) return answer('dot-mi is up to date.', have());
    const { version } = found.updateInfo;
    if (isPortable)
      return say(
        `dot-mi ${version} is available.`,
        `${have()} The portable program can’t replace itself. Download the new one where you got this one, then replace this file.`,
      );
    if (fetching !== undefined) return answer(`dot-mi ${fetching} is downloading.`, have());
    return fetched === version ? offerInstallOnce(version) : offer(updater, version);
  };

  const start = async (answer: Answer): Promise<void> => {
    // A version from the sources has no release page.
    if (!app.isPackaged) return answer('Only the installed program can check for updates.');
    try {
      await lookWith(await load(), answer);
    } catch (error) {
      logger.warn({ err: error }, 'could not check for updates');
      await answer('dot-mi couldn’t check for updates.', reasonOf(error), 'warning');
    }
  };

  const lookOnce = (isAsked: boolean): Promise<void> => {
    if (look) {
      look.isAsked ||= isAsked;
      return look.ended;
    }
    const begun = { isAsked, ended: Promise.resolve() };
    look = begun;
    begun.ended = start(async (...words) => {
      if (begun.isAsked) await say(...words);
    }).finally(() => {
      look = undefined;
    });
    return begun.ended;
  };

  return {
    agree(agreed) {
      if (agreed === (timer !== undefined)) return;
      clearInterval(timer);
      timer = undefined;
      if (!agreed || !app.isPackaged) return;
      timer = setInterval(() => void lookOnce(false), DAY_MS).unref();
      void lookOnce(false);
    },
    checkNow: () => lookOnce(true),
  };
};
