import { app, type BrowserWindow } from 'electron';
import { ask } from './dialogs.ts';

/** The words for leaving a page with a token that isn't received. Nothing keeps such a token. */
const LEAVING = {
  close: {
    message: 'Close and lose a token?',
    detail:
      'The wallet page holds a token that you haven’t received, and it is lost when the window closes. Unsaved text is kept.',
    buttons: ['Stay', 'Close'],
  },
  load: {
    message: 'Reload and lose a token?',
    detail:
      'The wallet page holds a token that you haven’t received, and it is lost when the page reloads. Unsaved text is kept.',
    buttons: ['Stay', 'Reload'],
  },
} as const;

/** The parts of the program that the question needs. */
export interface LeaveHost {
  /** The page's current URL, which changes when the server moves to another port. */
  pageUrl(): string;
  /** Whether the program is quitting. */
  isQuitting(): boolean;
  /** The person stays on a page with a token that isn't received, so a running quit ends. */
  onStay(): void;
  onFailure(error: unknown): void;
}

/** The question before a window closes or loads another page. */
interface LeaveQuestion {
  /** The window is closing: the next question is about that. */
  closing(isClosing: boolean): void;
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');

/**
 * Asks before a page with a token that isn't received is left. Electron would just not close or load.
 *
 * The page stays while the question is open, because only a blocking dialog could answer in the event itself, and it
 * would stop the API too. After a yes, the window closes or loads again, and isn't asked about that time.
 */
export const askBeforeLeaving = (window: BrowserWindow, show: () => void, host: LeaveHost): LeaveQuestion => {
  const { webContents } = window;
  let isClosing = false;
  let isAsking = false;
  let mayLeave = false;

  const wantsToLeave = async (why: keyof typeof LEAVING): Promise<boolean> => {
    const { message, detail, buttons } = LEAVING[why];
    const { response } = await ask(window, {
      type: 'question',
      message,
      detail,
      buttons: [...buttons],
      defaultId: 0,
      cancelId: 0,
    });
    return response === 1;
  };

  const loadAgain = async (): Promise<void> => {
    const url = host.pageUrl();
    if (originOf(webContents.getURL()) === originOf(url)) webContents.reload();
    else await webContents.loadURL(url);
  };

  const askAndLeave = async (): Promise<void> => {
    const why = isClosing ? 'close' : 'load';
    const wasQuitting = host.isQuitting();
    // The window may be in the tray while the program quits.
    show();
    if (!(await wantsToLeave(why))) {
      isClosing = false;
      host.onStay();
      return;
    }
    if (window.isDestroyed()) return;
    mayLeave = true;
    if (why === 'load') await loadAgain();
    else if (wasQuitting) app.quit();
    else window.close();
  };

  webContents.on('will-prevent-unload', (event) => {
    if (mayLeave) {
      event.preventDefault();
      return;
    }
    if (isAsking) return;
    isAsking = true;
    askAndLeave()
      .catch(host.onFailure)
      .finally(() => {
        isAsking = false;
      });
  });
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) mayLeave = false;
  });

  return {
    closing(now) {
      isClosing = now;
      if (!now) mayLeave = false;
    },
  };
};
