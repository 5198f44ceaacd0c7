import { app } from 'electron';
import { StartError } from '../server/host.ts';
import { handOver } from './deep-link.ts';
import { dataFolderProblem, endWithMessage } from './failure.ts';
import { refuseDebugging } from './security.ts';
import { startShell } from './shell.ts';

// Must come first, because Chromium reads its switches early.
refuseDebugging(app);

if (process.platform === 'win32') {
  // Windows uses this id to group windows and show notifications. The installer's shortcut has the same id.
  app.setAppUserModelId('dot-mi.desktop');
  // Fixed, because Electron would choose a random id. packaging/installer.nsh removes what this id registers.
  app.setToastActivatorCLSID('{5D500DE7-0A78-4693-A980-B06FF7BC391B}');
}

// Single instance: another launch passes its link on and exits.
if (app.requestSingleInstanceLock(handOver(process.argv))) {
  startShell().catch(endWithMessage);
} else {
  // The lock is in the data directory. If that isn't writable, another instance seems to hold the lock.
  const problem = dataFolderProblem();
  if (problem === undefined) app.quit();
  else void endWithMessage(new StartError(problem));
}
