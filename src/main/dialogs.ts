import {
  app,
  BaseWindow,
  dialog,
  type MessageBoxOptions,
  type MessageBoxReturnValue,
  nativeTheme,
  type OpenDialogOptions,
} from 'electron';

/** A question, or a message with one button. `cancelId` is the answer of a person who closes it. */
export type Question = MessageBoxOptions & { cancelId: number };

/** The page's canvas color, in each theme. */
const CANVAS = { light: '#fffefd', dark: '#1a1816' };

/** The background of a window until its page appears, in the current theme. */
export const canvasColor = (): string => (nativeTheme.shouldUseDarkColors ? CANVAS.dark : CANVAS.light);

const bringUp = (window: BaseWindow): void => {
  if (window.isMinimized()) window.restore();
  if (!window.isVisible()) window.show();
};

/**
 * Asks over a window, and shows the window first. A window that closes cancels the question.
 *
 * Every dialog has a parent. Without one, macOS runs a modal loop that stops the main process, which is also the
 * server (Electron, message_box_mac.mm). Over a hidden window nobody could answer.
 */
export const ask = async (window: BaseWindow, question: Question): Promise<MessageBoxReturnValue> => {
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
 * Asks over a small window of its own, for a time when there may be no other. The window runs no page, so it appears
 * even if pages crash. Waits until Chromium is ready.
 */
export const askAlone = async (question: Question): Promise<MessageBoxReturnValue> => {
  await app.whenReady();
  const window = new BaseWindow({
    title: 'dot-mi',
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
