import { app, type MessageBoxReturnValue } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { systemCode } from '../server/platform/app-error.ts';
import type { Logger } from '../server/platform/logger.ts';
import type { Question } from './dialogs.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Checks for newer versions, if the person agreed to it. */
export interface Updates {
  /** Starts or ends the daily check. */
  agree(agreed: boolean): void;
  /** Checks now, and also reports when there is nothing new, because the person asked. */
  checkNow(): Promise<void>;
}

/** Loaded when first needed: if the person doesn't agree, not a line of it runs. */
const loadUpdater = async (): Promise<AppUpdater> => {
  const { default: updater } = await import('electron-updater');
  return updater.autoUpdater;
};

const reasonOf = (error: unknown): string =>
  // The build puts the file that names the release page into a package.
  systemCode(error) === 'ENOENT'
    ? 'This package was built without a release page.'
    : // The updater's messages continue with headers and bodies.
      String(error).split('\n', 1).join('');

/** Reports the result of a check, if a person asked for it. */
type Answer = (message: string, detail?: string, type?: 'info' | 'warning') => Promise<void>;

/** The parts of the program that updates need. */
export interface UpdatesHost {
  logger: Logger;
  /** The portable Windows program, which the updater can't replace. */
  isPortable: boolean;
  /** Asks over the window. */
  ask(question: Question): Promise<MessageBoxReturnValue>;
  load?: () => Promise<AppUpdater>;
}

/**
 * Checks the release page that the package names, at once and then daily. Downloads nothing without consent.
 * A downloaded version is installed when the program ends, and offered daily until then.
 */
export const createUpdates = ({ logger, isPortable, ask, load = loadUpdater }: UpdatesHost): Updates => {
  let timer: NodeJS.Timeout | undefined;
  /** `isAsked` says that a person waits for the result. It may become true during the check. */
  let look: { isAsked: boolean; ended: Promise<void> } | undefined;
  let fetching: string | undefined;
  let fetched: string | undefined;
  let installOffer: Promise<void> | undefined;

  const say: Answer = async (message, detail = '', type = 'info') => {
    await ask({ type, message, detail, buttons: ['OK'], cancelId: 0 });
  };

  const have = () => `You have ${app.getVersion()}.`;

  const offerInstall = async (version: string): Promise<void> => {
    const { response } = await ask({
      type: 'info',
      message: `dot-mi ${version} is ready to install.`,
      detail: `${have()} dot-mi installs the new version when it quits. Agents can’t call it during the update.`,
      buttons: ['Quit and install', 'Later'],
      defaultId: 0,
      cancelId: 1,
    });
    // Not the updater's own restart: that would wait neither for unsaved text nor for the wallet.
    if (response === 0) app.quit();
  };

  /** At most one such question at a time: the next day's check must not put another one over it. */
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
    const { response } = await ask({
      type: 'info',
      message: `dot-mi ${version} is available.`,
      detail: `${have()} dot-mi checks the download against the checksum on the release page.`,
      buttons: ['Download', 'Later'],
      defaultId: 0,
      cancelId: 1,
    });
    // Not awaited: a check in the meantime reports that the download is running.
    if (response === 0) void fetchVersion(updater, version);
  };

  const lookWith = async (updater: AppUpdater, answer: Answer): Promise<void> => {
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = true;
    updater.logger = null;
    const found = await updater.checkForUpdates();
    // The updater can't replace some copies, such as an unpacked folder.
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
    // A version that runs from the sources has no release page.
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
