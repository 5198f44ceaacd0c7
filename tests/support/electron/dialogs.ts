import type { MessageBoxOptions, MessageBoxReturnValue, OpenDialogReturnValue } from 'electron';
import { report, test } from './around.ts';
import { appIsReady, needsReady } from './ready.ts';
import { BaseWindow } from './window.ts';

/**
 * The shown window that a dialog is over. The double is as strict as the strictest system: without a parent macOS runs a
 * modal loop, which stops the main process and with it the API, and over a hidden window nobody can answer.
 */
const parentOf = (call: string, [parent]: readonly unknown[]): BaseWindow => {
  needsReady('dialog module can only be used after app is ready');
  if (!(parent instanceof BaseWindow))
    throw new Error(`dialog.${call} without a parent stops the main process on macOS: pass a shown window`);
  if (parent.isDestroyed()) throw new TypeError('Object has been destroyed');
  if (!parent.isVisible() || parent.isMinimized())
    throw new Error(`nobody can answer dialog.${call} over a hidden window: show the window first`);
  return parent;
};

const blocks = (call: string) => (): never => {
  throw new Error(`dialog.${call} stops the main process, and with it the API: use the asynchronous one`);
};

const cancelled = ({ signal, cancelId = 0 }: MessageBoxOptions): Promise<MessageBoxReturnValue> =>
  new Promise((resolve) => {
    const end = () => resolve({ response: cancelId, checkboxChecked: false });
    signal?.addEventListener('abort', end);
  });

export const dialog = {
  showMessageBox(...args: unknown[]): Promise<MessageBoxReturnValue> {
    const { id } = parentOf('showMessageBox', args);
    const options = args[1] as MessageBoxOptions;
    const { message, detail = '', buttons = [], checkboxLabel } = options;
    const shown = [...buttons, ...(checkboxLabel === undefined ? [] : [checkboxLabel])];
    report({ kind: 'dialog', parent: id, message, detail, buttons: shown });
    const answer = test.ask('message-box', { message, detail, buttons: shown });
    return Promise.race([answer as Promise<MessageBoxReturnValue>, cancelled(options)]);
  },
  showOpenDialog(...args: unknown[]): Promise<OpenDialogReturnValue> {
    parentOf('showOpenDialog', args);
    return test.ask('open-dialog', args[1]) as Promise<OpenDialogReturnValue>;
  },
  /** Before Chromium is ready, only a terminal shows it. Afterwards it blocks on every system. */
  showErrorBox(title: string, content: string): void {
    if (appIsReady()) blocks('showErrorBox')();
    process.stderr.write(`${title}\n${content}\n`);
  },
  showMessageBoxSync: blocks('showMessageBoxSync'),
  showOpenDialogSync: blocks('showOpenDialogSync'),
  showSaveDialogSync: blocks('showSaveDialogSync'),
};
