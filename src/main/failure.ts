import { accessSync, constants } from 'node:fs';
import { app, dialog } from 'electron';
import { ConfigError, StartError } from '../server/host.ts';

/** The sentence that a person sees for an error that ends the program. */
const sentenceOf = (error: unknown): string => {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  return `dot-mi can’t start: ${error instanceof Error ? error.message : error}`;
};

/** Says why the program can't continue, and ends it. */
export const endWithMessage = (error: unknown): void => {
  dialog.showErrorBox('dot-mi can’t start', sentenceOf(error));
  app.exit(1);
};

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
