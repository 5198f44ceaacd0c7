import { type App, type Session, shell, type WebContents } from 'electron';
import type { Logger } from '../server/platform/logger.ts';

/** Parses a web page's address. Undefined for other schemes, because a `blob:` URL has its creator's origin. */
export const parseWebUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
};

/** Returns a web page's origin. Undefined for any other text. */
export const webOriginOf = (text: string): string | undefined => parseWebUrl(text)?.origin;

/** The parts of the app that a page's guards need. */
interface GuardHost {
  /** Returns the only origin that a page can have. Don't cache it: settings can change it while the app runs. */
  origin(): string;
  logger: Logger;
}

/** Opens web pages in the person's browser. Any other scheme could start a program. */
const openExternally = (text: string, logger: Logger): void => {
  const url = parseWebUrl(text);
  if (!url) return;
  shell.openExternal(text).catch(() => {
    // SECURITY: don't log the rest of the address, or the error that may quote it. The address could contain a token.
    logger.warn({ host: url.host }, 'could not open a web page in a browser');
  });
};

/** Chromium switches that let another program control the window. No fuse disables them. */
const DEBUGGING_SWITCHES = ['remote-debugging-port', 'remote-debugging-pipe'];

/** SECURITY: an installed app's window gets the operator token. Call it before Chromium starts. */
export const refuseDebugging = ({
  isPackaged,
  commandLine,
}: Pick<App, 'isPackaged' | 'commandLine'>): void => {
  if (isPackaged) for (const name of DEBUGGING_SWITCHES) commandLine.removeSwitch(name);
};

/** The permission to copy text to the clipboard. Reading the clipboard is a separate permission. */
const COPYING = 'clipboard-sanitized-write';

/** Denies every permission and device that a page can request, except that our own page can copy text. */
export const denyPermissions = (session: Session, origin: () => string): void => {
  const isAllowed = (permission: string, url: string | undefined) =>
    permission === COPYING && url !== undefined && webOriginOf(url) === origin();
  session.setPermissionRequestHandler((_contents, permission, callback, { requestingUrl }) =>
    callback(isAllowed(permission, requestingUrl)),
  );
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isAllowed(permission, requestingOrigin),
  );
  session.setDevicePermissionHandler(() => false);
  // The spell checker would download its dictionaries from a public server.
  session.setSpellCheckerEnabled(false);
};

/**
 * Keeps a page on the app's current origin. Links elsewhere open in the browser. Frames from other
 * origins and webviews are blocked.
 */
export const keepOnOrigin = (contents: WebContents, { origin, logger }: GuardHost): void => {
  const leave = (event: { preventDefault(): void }, url: string) => {
    // SECURITY: compare parsed origins, because http://127.0.0.1:8000.evil.example starts like ours.
    if (webOriginOf(url) === origin()) return;
    event.preventDefault();
    openExternally(url, logger);
  };
  contents.on('will-navigate', (event) => leave(event, event.url));
  contents.on('will-redirect', (event) => leave(event, event.url));
  contents.on('will-frame-navigate', (event) => {
    // The handlers above already check the main frame.
    if (!event.isMainFrame && webOriginOf(event.url) !== origin()) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (webOriginOf(url) !== origin()) openExternally(url, logger);
    return { action: 'deny' };
  });
};

/** Applies {@link keepOnOrigin} to all web contents that this app ever creates. */
export const guardAllContents = (app: App, host: GuardHost): void => {
  app.on('web-contents-created', (_event, contents) => keepOnOrigin(contents, host));
};
