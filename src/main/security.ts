import { type App, type Session, shell, type WebContents } from 'electron';

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

/** Opens http and https links in the person's browser; every other scheme could start a program. */
const openExternally = (url: string): void => {
  if (!URL.canParse(url)) return;
  const { protocol } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') void shell.openExternal(url);
};

/** Denies every permission and device a page can ask for; ours needs none. */
export const denyPermissions = (session: Session): void => {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  // Its dictionaries would be fetched from a public server.
  session.setSpellCheckerEnabled(false);
};

/** Keeps a page on the origin that the program has at the time: other places open in the browser, frames of other pages and webviews not at all. */
export const keepOnOrigin = (contents: WebContents, origin: () => string): void => {
  const leave = (event: { preventDefault(): void }, url: string) => {
    // SECURITY: the parsed origin, never a part of the text: http://127.0.0.1:8000.evil.example is another.
    if (originOf(url) === origin()) return;
    event.preventDefault();
    openExternally(url);
  };
  contents.on('will-navigate', (event) => leave(event, event.url));
  contents.on('will-redirect', (event) => leave(event, event.url));
  contents.on('will-frame-navigate', (event) => {
    // The main frame is asked about above as well.
    if (!event.isMainFrame && originOf(event.url) !== origin()) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (originOf(url) !== origin()) openExternally(url);
    return { action: 'deny' };
  });
};

/** Applies {@link keepOnOrigin} to everything that will ever show a page in this program. */
export const guardAllContents = (app: App, origin: () => string): void => {
  app.on('web-contents-created', (_event, contents) => keepOnOrigin(contents, origin));
};
