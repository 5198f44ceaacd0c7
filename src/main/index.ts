import { app, type BrowserWindow, dialog, session } from 'electron';
import { type Config, ConfigError } from '../server/config.ts';
import { type HostedServer, type RunningServer, runServer } from '../server/host.ts';
import { StartError } from '../server/http/http-server.ts';
import { answerBridge } from './bridge.ts';
import { denyPermissions, guardAllContents } from './security.ts';
import { openSettings, type Settings } from './settings.ts';
import { openWindow } from './window.ts';

/** The shell: one instance, the server, a window on its page, and an orderly end. */

let hosted: HostedServer | undefined;
let settings: Settings | undefined;
/** The page of the server, or Vite's while it is developed. */
let pageUrl = '';
let window: BrowserWindow | undefined;

const openOrFocus = () => {
  if (!hosted || !settings) return;
  if (window && !window.isDestroyed()) {
    if (window.isMinimized()) window.restore();
    window.focus();
    return;
  }
  window = openWindow(pageUrl, hosted.server().version, settings);
};

/** The server is there, at the first start or after its settings changed: a window that is open follows it. */
const onStart = ({ url }: RunningServer, config: Config) => {
  const before = pageUrl;
  pageUrl = app.isPackaged ? url : (config.devPageUrl ?? url);
  if (before !== '' && before !== pageUrl && window && !window.isDestroyed()) void window.loadURL(pageUrl);
};

const run = async () => {
  const kept = openSettings();
  settings = kept;
  // Chromium starts while our server does.
  const [started] = await Promise.all([
    runServer({
      dataDirectory: app.getPath('userData'),
      store: kept.server,
      onStart,
      onLost: endWithMessage,
    }),
    app.whenReady(),
  ]);
  hosted = started;
  denyPermissions(session.defaultSession);
  answerBridge({
    origin: () => new URL(pageUrl).origin,
    operatorToken: () => started.server().operatorToken,
    rootPath: () => started.server().rootPath,
    dataDirectory: () => started.config().dataDirectory,
  });
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
    if (!hosted) return;
    event.preventDefault();
    const closing = hosted.close();
    hosted = undefined;
    void closing.finally(() => app.quit());
  });
  run().catch(endWithMessage);
} else {
  app.quit();
}
