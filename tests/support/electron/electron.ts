// The double of `electron`: the parts that the shell uses, with pages in a real Chromium at the other end of
// the wire (page/). It knows nothing of our shell. Missing parts throw, like a missing import or function.
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
