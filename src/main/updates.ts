import { app } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { systemCode } from '../server/platform/app-error.ts';
import type { Logger } from '../server/platform/logger.ts';
import type { UpdateAnswer, UpdateState } from '../shared/desktop-bridge.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Checks for newer versions, if the person agreed to it. The page shows the state and sends the person's choice. */
export interface Updates {
  /** Starts or stops the daily check. */
  agree(agreed: boolean): void;
  /** Checks now. Reports the result even if there's nothing new, because the person asked. */
  checkNow(): Promise<void>;
  state(): UpdateState;
  /** Ignores a choice that doesn't fit the state, such as a second click. */
  answer(answer: UpdateAnswer): void;
  /** Returns whether a downloaded version will be installed when this process exits. */
  installsAtEnd(): boolean;
}

/** Loads the updater on first use, so none of it runs unless the person agrees. */
const loadUpdater = async (): Promise<AppUpdater> => {
  const { default: updater } = await import('electron-updater');
  return updater.autoUpdater;
};

/** Returns only the first sentence, because the updater's messages continue with headers and bodies. */
const reasonOf = (error: unknown): string => {
  // The build adds a file with the release page's address to each package.
  if (systemCode(error) === 'ENOENT') return 'This build of dot-mi doesn’t know where to look for updates.';
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return line.trim().replace(/\.?$/, '.');
};

/** The parts of the app that updates need. */
interface UpdatesHost {
  logger: Logger;
  /** True for the portable Windows program, which the updater can't replace. */
  isPortable: boolean;
  onChange(state: UpdateState): void;
  load?: () => Promise<AppUpdater>;
}

/**
 * Checks the release page that the package names, at once and then daily. Downloads nothing without consent. A
 * downloaded version is offered daily, and installed when the app exits.
 */
export const createUpdates = ({ logger, isPortable, onChange, load = loadUpdater }: UpdatesHost): Updates => {
  let timer: NodeJS.Timeout | undefined;
  /** `isAsked` is true if a person is waiting for the result. It can become true during the check. */
  let check: { isAsked: boolean; ended: Promise<void> } | undefined;
  let state: UpdateState = { kind: 'none' };
  let downloading: string | undefined;
  let downloaded: string | undefined;
  let download: (() => Promise<void>) | undefined;

  const change = (next: UpdateState) => {
    state = next;
    onChange(next);
  };

  const downloadWith = async (updater: AppUpdater, version: string): Promise<void> => {
    downloading = version;
    change({ kind: 'downloading', version });
    try {
      await updater.downloadUpdate();
      downloaded = version;
      change({ kind: 'ready', version });
    } catch (error) {
      logger.warn({ err: error }, 'could not download the new version');
      change({ kind: 'download-failed', version, reason: reasonOf(error) });
    } finally {
      downloading = undefined;
    }
  };

  /** Checks the release page. The result is `current` or `unsupported` if there's nothing to offer. */
  const findNews = async (updater: AppUpdater): Promise<UpdateState> => {
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = true;
    updater.logger = null;
    const found = await updater.checkForUpdates();
    // The updater can't replace some copies, such as an unpacked folder.
    if (!found) return { kind: 'unsupported' };
    if (!found.isUpdateAvailable) return { kind: 'current' };
    const { version } = found.updateInfo;
    if (downloading !== undefined) return { kind: 'downloading', version: downloading };
    if (downloaded === version) return { kind: 'ready', version };
    download = () => downloadWith(updater, version);
    return { kind: 'available', version, isPortable };
  };

  const findOut = async (): Promise<UpdateState> => {
    // A version that runs from source has no release page.
    if (!app.isPackaged) return { kind: 'not-installed' };
    try {
      return await findNews(await load());
    } catch (error) {
      logger.warn({ err: error }, 'could not check for updates');
      return { kind: 'check-failed', reason: reasonOf(error) };
    }
  };

  const checkOnce = (isAsked: boolean): Promise<void> => {
    if (isAsked && downloading === undefined) change({ kind: 'checking' });
    if (check) {
      check.isAsked ||= isAsked;
      return check.ended;
    }
    const begun = { isAsked, ended: Promise.resolve() };
    check = begun;
    begun.ended = findOut().then((found) => {
      check = undefined;
      const isNews = found.kind === 'available' || found.kind === 'ready';
      if (isNews || begun.isAsked) change(found);
    });
    return begun.ended;
  };

  return {
    agree(agreed) {
      if (agreed === (timer !== undefined)) return;
      clearInterval(timer);
      timer = undefined;
      if (!agreed || !app.isPackaged) return;
      timer = setInterval(() => void checkOnce(false), DAY_MS).unref();
      void checkOnce(false);
    },
    checkNow: () => checkOnce(true),
    state: () => state,
    installsAtEnd: () => downloaded !== undefined,
    answer(answer) {
      if (answer === 'later') change({ kind: 'none' });
      else if (answer === 'download' && state.kind === 'available' && !state.isPortable) void download?.();
      // Don't use the updater's own restart, which waits neither for unsaved text nor for the wallet.
      else if (answer === 'install' && state.kind === 'ready') app.quit();
    },
  };
};
