import { app, type BrowserWindow, dialog, session } from 'electron';
import { ConfigError, readConfig } from '../server/config.ts';
import { StartError } from '../server/http/http-server.ts';
import { type RunningServer, startServer } from '../server/start.ts';
import { answerBridge } from './bridge.ts';
import { denyPermissions, guardAllContents } from './security.ts';
import { openSettings, type Settings } from './settings.ts';
import { openWindow } from './window.ts';

/** The shell: one instance, the server, a window on its page, and an orderly end. */

let server: RunningServer | undefined;
let settings: Settings | undefined;
/** The page of the server, or Vite's while it is developed. */
let pageUrl = '';
let window: BrowserWindow | undefined;

const openOrFocus = () => {
  if (!server || !settings) return;
  if (window && !window.isDestroyed()) {
    if (window.isMinimized()) window.restore();
    window.focus();
    return;
  }
  window = openWindow(pageUrl, server.version, settings);
};

const run = async () => {
  // Chromium starts while our server does.
  const config = readConfig(app.getPath('userData'));
  const [started] = await Promise.all([startServer(config), app.whenReady()]);
  server = started;
  settings = openSettings();
  pageUrl = app.isPackaged ? started.url : (config.devPageUrl ?? started.url);
  denyPermissions(session.defaultSession);
  answerBridge(new URL(pageUrl).origin, server.operatorToken);
  openOrFocus();
};

const endWithMessage = (error: unknown) => {
  const known = error instanceof ConfigError || error instanceof StartError;
  const message = known
    ? error.message
    : `dot-mi cannot start: ${error instanceof Error ? error.message : error}`;
  dialog.showErrorBox('dot-mi cannot start', message);
  app.exit(1);
};

if (app.requestSingleInstanceLock()) {
  app.enableSandbox();
  guardAllContents(app, () => new URL(pageUrl).origin);
  app.on('second-instance', openOrFocus);
  app.on('activate', openOrFocus);
  app.on('window-all-closed', () => app.quit());
  app.on('will-quit', (event) => {
    if (!server) return;
    event.preventDefault();
    const closing = server.close();
    server = undefined;
    void closing.finally(() => app.quit());
  });
  run().catch(endWithMessage);
} else {
  app.quit();
}
