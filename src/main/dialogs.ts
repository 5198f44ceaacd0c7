import { join } from 'node:path';
import {
  app,
  BaseWindow,
  dialog,
  type MessageBoxOptions,
  type MessageBoxReturnValue,
  nativeTheme,
  type OpenDialogOptions,
} from 'electron';
import { RESOURCES_DIRECTORY } from '../server/locations.ts';

/** A question, or a message with one button. `cancelId` is the result if the person closes it. */
export type QuestionOptions = MessageBoxOptions & { cancelId: number };

/** The page's canvas color, in each theme. */
const CANVAS = { light: '#fffefd', dark: '#1a1816' };

/** Returns a window's background color until its page appears, in the current theme. */
export const canvasColor = (): string => (nativeTheme.shouldUseDarkColors ? CANVAS.dark : CANVAS.light);

/** The app's icon, as a file that Electron can read. */
export const ICON_PATH = join(RESOURCES_DIRECTORY, 'icon.png');

/** Returns a window's icon on Linux. Other systems use the app's own icon. */
export const windowIcon = (): { icon?: string } => (process.platform === 'linux' ? { icon: ICON_PATH } : {});

const bringUp = (window: BaseWindow): void => {
  if (window.isMinimized()) window.restore();
  if (!window.isVisible()) window.show();
};

/**
 * Shows a window and a question over it. Closing the window cancels the question.
 *
 * Every dialog has a parent. Without one, macOS runs a modal loop that stops the main process, which is also the
 * server (Electron, message_box_mac.mm). Nobody would see a dialog over a hidden window.
 */
export const ask = async (window: BaseWindow, question: QuestionOptions): Promise<MessageBoxReturnValue> => {
  const cancelled = { response: question.cancelId, checkboxChecked: false };
  if (window.isDestroyed()) return cancelled;
  const closing = new AbortController();
  const end = () => closing.abort();
  window.once('closed', end);
  const closed = new Promise<typeof cancelled>((resolve) => {
    closing.signal.addEventListener('abort', () => resolve(cancelled));
  });
  try {
    bringUp(window);
    return await Promise.race([
      dialog.showMessageBox(window, { ...question, signal: closing.signal }),
      closed,
    ]);
  } finally {
    window.removeListener('closed', end);
  }
};

/**
 * Shows a question over the current window, or over a small separate window without a page. Waits until Chromium is
 * ready.
 */
export const askAlone = async (question: QuestionOptions): Promise<MessageBoxReturnValue> => {
  await app.whenReady();
  const shown = BaseWindow.getAllWindows().find((window) => !window.isDestroyed() && window.isVisible());
  if (shown) return ask(shown, question);
  const window = new BaseWindow({
    title: 'dot-mi',
    ...windowIcon(),
    width: 560,
    height: 320,
    resizable: false,
    maximizable: false,
    fullscreenable: false,
    backgroundColor: canvasColor(),
  });
  window.setMenu(null);
  try {
    return await ask(window, question);
  } finally {
    if (!window.isDestroyed()) window.destroy();
  }
};

/**
 * Lets a person choose a folder, starting in `defaultPath`. Null if they cancel. macOS shows `message`, because its
 * choosers have no title.
 */
export const chooseFolder = async (
  window: BaseWindow,
  defaultPath: string,
  words: Pick<OpenDialogOptions, 'title' | 'message' | 'buttonLabel'> = {},
): Promise<string | null> => {
  bringUp(window);
  const { canceled, filePaths } = await dialog.showOpenDialog(window, {
    ...words,
    defaultPath,
    properties: ['openDirectory', 'createDirectory'],
  });
  return canceled ? null : (filePaths[0] ?? null);
};
