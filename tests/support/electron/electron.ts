// The double of `electron`: the parts that the shell uses, with its pages in a real Chromium on the other side of the wire
// (page/). It knows nothing of our shell. What it does not have throws, as an import or a call that is not there.
import { app } from './app.ts';
import {
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from './system.ts';
import { BrowserWindow, onContentsMade } from './window.ts';

onContentsMade((contents) => app.emit('web-contents-created', {}, contents));

export {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
};

// As `import electron from 'electron'` sees it.
export default {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
};
