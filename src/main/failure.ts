import { accessSync, constants } from 'node:fs';
import { app, dialog } from 'electron';
import { ConfigError, StartError } from '../server/host.ts';

/** What a person is told of an error that ends the program. */
const sentenceOf = (error: unknown): string => {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  return `dot-mi cannot start: ${error instanceof Error ? error.message : error}`;
};

/** Says why the program cannot go on, and ends it. */
export const endWithMessage = (error: unknown): void => {
  dialog.showErrorBox('dot-mi cannot start', sentenceOf(error));
  app.exit(1);
};

/** Why the data folder cannot be used, as a sentence; undefined when it can. */
export const dataFolderProblem = (): string | undefined => {
  const path = app.getPath('userData');
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `The data folder ${path} cannot be written. Give yourself the right to write there, and start dot-mi again.`;
  }
};
