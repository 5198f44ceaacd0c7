import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BrowserContext, CDPSession, Page, Request } from '@playwright/test';
import type { MadeWindow, SessionFacts } from '../launch-options.ts';
import type { Peer } from '../wire.ts';
import { createPreloadElectron, createWorldPeer, receiveExposed } from './in-page.ts';

const PRELOAD_WORLD = 'preload';

/** A window of the shell: a page in a real Chromium, guarded as Electron guards its own. */
export interface ShownWindow {
  readonly made: MadeWindow;
  /** The current page. It is another one after a crash. */
  page(): Page;
  load(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Delivers a message from the main process. */
  send(channel: string, args: unknown[]): Promise<void>;
  /** Closes the page if the page allows it. Returns whether it closed. */
  close(): Promise<boolean>;
  /** Ends the page's process. */
  crash(): Promise<void>;
}

const preloadSource = ({ options: { webPreferences } }: MadeWindow, secret: string, binding: string) => {
  const {
    preload,
    contextIsolation,
    sandbox,
    nodeIntegration,
    additionalArguments = [],
  } = webPreferences ?? {};
  if (contextIsolation !== true || sandbox !== true || nodeIntegration !== false)
    throw new Error('the double shows isolated and sandboxed windows only');
  // Frames within a page get no preload, because nodeIntegrationInSubFrames is off.
  return `if (window === window.top) {
    const peer = (${createWorldPeer})(${JSON.stringify(secret)}, 'preload', 'page');
    const electron = (${createPreloadElectron})(${JSON.stringify(secret)}, peer, ${JSON.stringify(binding)});
    const process = { argv: ${JSON.stringify(['electron', ...additionalArguments])} };
    const require = (name) => {
      if (name === 'electron') return electron;
      throw new Error('module not found: ' + name);
    };
    const module = { exports: {} };
    ((require, process, module, exports) => {${readFileSync(String(preload), 'utf8')}\n})(require, process, module, module.exports);
  }`;
};

/** The preload's worlds in a page, by their context, with the frame of each. */
const followWorlds = (cdp: CDPSession) => {
  const frames = new Map<number, string>();
  let current: number | undefined;
  cdp.on('Runtime.executionContextCreated', ({ context }) => {
    if (context.name !== PRELOAD_WORLD) return;
    const { frameId } = context.auxData as { frameId: string };
    frames.set(context.id, frameId);
    current = context.id;
  });
  cdp.on('Runtime.executionContextsCleared', () => {
    current = undefined;
  });
  return { frameOf: (context: number) => frames.get(context), current: () => current };
};

/** Gives a page the preload in its own world, and passes its requests to the main process. */
const givePreload = async (page: Page, cdp: CDPSession, made: MadeWindow, shell: Peer) => {
  const secret = randomBytes(8).toString('hex');
  const binding = `ipc${secret}`;
  const worlds = followWorlds(cdp);
  const evaluate = (contextId: number, expression: string) =>
    // The page may be gone by then.
    cdp.send('Runtime.evaluate', { contextId, expression }).catch(() => undefined);
  await cdp.send('Page.enable');
  await cdp.send('Runtime.enable');
  await cdp.send('Runtime.addBinding', { name: binding, executionContextName: PRELOAD_WORLD });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `(${receiveExposed})(${JSON.stringify(secret)}, (${createWorldPeer})(${JSON.stringify(secret)}, 'page', 'preload'))`,
  });
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
    source: preloadSource(made, secret, binding),
    worldName: PRELOAD_WORLD,
  });

  cdp.on('Runtime.bindingCalled', async ({ name, payload, executionContextId }) => {
    if (name !== binding) return;
    const { id, channel, args } = JSON.parse(payload) as { id: number; channel: string; args: unknown[] };
    const frame = { url: page.mainFrame().url(), isTop: worlds.frameOf(executionContextId) !== undefined };
    const [ok, value] = await shell.ask('invoke', made.id, frame, channel, args).then(
      (answer): [boolean, unknown] => [true, answer],
      (error: Error): [boolean, unknown] => [false, error.message],
    );
    await evaluate(executionContextId, `${binding}Incoming.settle(${id}, ${ok}, ${JSON.stringify(value)})`);
  });
  return async (channel: string, args: unknown[]) => {
    const context = worlds.current();
    if (context === undefined) return;
    await evaluate(
      context,
      `${binding}Incoming.deliver(${JSON.stringify(channel)}, ${JSON.stringify(args)})`,
    );
  };
};

/** Electron's permission names, and those of Chromium's protocol. */
const PERMISSIONS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  'clipboard-read': 'clipboard-read',
  'clipboard-sanitized-write': 'clipboard-write',
  media: 'camera',
  midi: 'midi',
} as const;

/** Grants and denies an origin's permissions in Chromium as the session's handlers do. */
const applyPermissions = async (page: Page, cdp: CDPSession, url: string, shell: Peer) => {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  // Not detached, because its settings would end with it.
  const session = await browser.newBrowserCDPSession();
  const { targetInfo } = await cdp.send('Target.getTargetInfo');
  const { browserContextId } = targetInfo;
  for (const [asked, name] of Object.entries(PERMISSIONS)) {
    const facts = (await shell.ask('session', asked, url)) as SessionFacts;
    await session.send('Browser.setPermission', {
      permission: { name },
      setting: facts.permissionRequest && facts.permissionCheck ? 'granted' : 'denied',
      origin: new URL(url).origin,
      ...(browserContextId === undefined ? {} : { browserContextId }),
    });
  }
};

/** Reports each start of a page to the main process, and asks it before Chromium follows a redirect. */
const followLoads = async (cdp: CDPSession, id: number, shell: Peer) => {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const isMainFrame = (frameId: string) => frameId === frameTree.frame.id;
  cdp.on('Page.frameStartedNavigating', ({ frameId, navigationType }) =>
    shell.tell('ask', id, 'did-start-navigation', {
      isMainFrame: isMainFrame(frameId),
      isSameDocument: /sameDocument$/i.test(navigationType),
    }),
  );
  cdp.on(
    'Fetch.requestPaused',
    async ({ requestId, frameId, request, responseStatusCode, responseHeaders }) => {
      const isRedirect =
        responseStatusCode !== undefined && responseStatusCode >= 300 && responseStatusCode < 400;
      const to = isRedirect && responseHeaders?.find(({ name }) => name.toLowerCase() === 'location')?.value;
      const url = to ? URL.parse(to, request.url)?.href : undefined;
      const isDenied =
        url !== undefined &&
        (await shell.ask('ask', id, 'will-redirect', { url, isMainFrame: isMainFrame(frameId) }));
      const next = isDenied
        ? cdp.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : cdp.send('Fetch.continueRequest', { requestId });
      // The page may be gone by then.
      await next.catch(() => undefined);
    },
  );
  await cdp.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Response' }] });
};

const isWeb = (url: string) => /^(https?|about|data|blob):/.test(url);

/** Opens a window in a browser context; `shell` is the main process. */
export const showWindow = async (
  context: BrowserContext,
  made: MadeWindow,
  shell: Peer,
  onPage: (page: Page) => void,
): Promise<ShownWindow> => {
  const { id } = made;
  let page: Page;
  let cdp: CDPSession;
  let deliver: (channel: string, args: unknown[]) => Promise<void>;
  /** The URL that the main process itself loads, which needs no permission. */
  let ownUrl: string | undefined;
  let lastUrl = '';

  const mayNavigate = async (request: Request): Promise<boolean> => {
    const url = request.url();
    const isMainFrame = request.frame().parentFrame() === null;
    if (isMainFrame && url === ownUrl?.split('#')[0]) return true;
    const details = { url, isMainFrame };
    if (isMainFrame && (await shell.ask('ask', id, 'will-navigate', details))) return false;
    return !(await shell.ask('ask', id, 'will-frame-navigate', details));
  };

  const open = async () => {
    page = await context.newPage();
    cdp = await context.newCDPSession(page);
    onPage(page);
    deliver = await givePreload(page, cdp, made, shell);
    await followLoads(cdp, id, shell);
    await page.route('**/*', async (route) => {
      const request = route.request();
      if (!request.isNavigationRequest() || (await mayNavigate(request))) await route.fallback();
      else await route.abort('aborted');
    });
    // Other schemes never become a request that could be blocked.
    cdp.on('Page.frameRequestedNavigation', ({ url }) => {
      if (!isWeb(url)) shell.tell('ask', id, 'will-navigate', { url, isMainFrame: true });
    });
    page.on('popup', async (popup) => {
      const action = await shell.ask('open', id, popup.url());
      if (action !== 'allow') await popup.close();
    });
    page.on('dialog', async (dialog) => {
      if (dialog.type() !== 'beforeunload') return dialog.dismiss();
      const isLeaving = await shell.ask('ask', id, 'will-prevent-unload', {});
      await (isLeaving ? dialog.accept() : dialog.dismiss());
      if (!isLeaving) stayed?.();
    });
    page.on('crash', () =>
      shell.tell('contents', id, 'render-process-gone', { reason: 'crashed', exitCode: 5 }),
    );
    // No `ready-to-show`: on some Wayland desktops it never fires for a hidden window (electron#48859).
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) shell.tell('url', id, frame.url());
    });
    page.on('load', () => shell.tell('contents', id, 'did-finish-load'));
  };
  let stayed: (() => void) | undefined;
  let closing = Promise.resolve(false);

  const load = async (url: string) => {
    ownUrl = url;
    lastUrl = url;
    await applyPermissions(page, cdp, url, shell);
    try {
      await page.goto(url, { waitUntil: 'commit' });
    } finally {
      ownUrl = undefined;
    }
  };

  await open();
  return {
    made,
    page: () => page,
    load,
    async reload() {
      const gone = page;
      const at = gone.url() === 'about:blank' ? lastUrl : gone.url();
      // Playwright can't reuse a page whose process is gone.
      await open();
      await load(at);
      await gone.close();
    },
    send: (channel, args) => deliver(channel, args),
    close() {
      // One after the other: a program may close again as soon as the page has refused.
      closing = closing.then(async () => {
        const closed = new Promise<boolean>((resolve) => {
          page.once('close', () => resolve(true));
          stayed = () => resolve(false);
        });
        await page.close({ runBeforeUnload: true });
        return closed;
      });
      return closing;
    },
    async crash() {
      const crashed = page.waitForEvent('crash');
      await cdp.send('Page.crash').catch(() => undefined);
      await crashed;
    },
  };
};
