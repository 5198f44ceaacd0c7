import { accessSync, constants } from 'node:fs';
import { app } from 'electron';
import { askAlone } from './dialogs.ts';

/** The longest time to wait for Chromium, which may never be ready on a broken system. */
const READY_TIMEOUT_MS = 20_000;

/** Shows a last message, in the terminal too, and ends the program with 1 once a person has read it. */
export const endWith = async (message: string, detail: string): Promise<void> => {
  try {
    process.stderr.write(`${message}\n${detail}\n`);
    // Otherwise Electron quits with 0 when the message closes, as its last window.
    app.on('window-all-closed', () => undefined);
    // Before Chromium is ready, no dialog can be seen.
    const late = new Promise((resolve) => setTimeout(resolve, READY_TIMEOUT_MS));
    await Promise.race([app.whenReady(), late]);
    if (app.isReady()) await askAlone({ type: 'error', message, detail, buttons: ['Quit'], cancelId: 0 });
  } catch {
    // The terminal has the message. Nothing may delay the end.
  } finally {
    app.exit(1);
  }
};

/** Says why the program can't continue, and ends it. */
export const endWithMessage = (error: unknown): Promise<void> =>
  endWith('dot-mi can’t start', error instanceof Error ? error.message : String(error));

/** The reason why the data folder can't be used, as a sentence; undefined when it can. */
export const dataFolderProblem = (): string | undefined => {
  const path = app.getPath('userData');
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `dot-mi can’t write to the data folder ${path}. Give yourself permission to write there, then start dot-mi again.`;
  }
};
