import { app } from 'electron';
import { StartError } from '../server/host.ts';
import { handOver } from './deep-link.ts';
import { dataFolderProblem, endWithMessage } from './failure.ts';
import { startShell } from './shell.ts';

// First of all: Windows groups windows and shows notifications by this id, which the installer's shortcut has too.
if (process.platform === 'win32') app.setAppUserModelId('dot-mi.desktop');

// One instance: another launch passes its link on and ends.
if (app.requestSingleInstanceLock(handOver(process.argv))) {
  startShell().catch(endWithMessage);
} else {
  // The lock is in the data folder. A folder that can't be written looks like another instance.
  const problem = dataFolderProblem();
  if (problem === undefined) app.quit();
  else void endWithMessage(new StartError(problem));
}
