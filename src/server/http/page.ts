import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { ERRORS } from '../../shared/api/errors.ts';
import { THEMES } from '../../shared/desktop-bridge.ts';
import { isRunHost } from '../../shared/page-host.ts';
import { isNotFound } from '../platform/app-error.ts';
import { requestNotes } from '../platform/request-notes.ts';
import { type Admission, whileHandling } from './admission.ts';

const NONE = ["'none'"];
const SELF = ["'self'"];

/** The page's headers, which allow only our own files, no frames and no inline code. */
const pageHeaders = () =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: NONE,
        scriptSrc: SELF,
        styleSrc: SELF,
        imgSrc: ["'self'", 'data:'],
        fontSrc: SELF,
        connectSrc: SELF,
        baseUri: NONE,
        formAction: NONE,
        frameAncestors: NONE,
      },
    },
    // We use plain HTTP on loopback, and a promise of HTTPS would lock the browser out.
    strictTransportSecurity: false,
  });

/** Points programs from the page to the API description (RFC 8631). */
const API_LINK = { Link: '</api/openapi.json>; rel="service-desc", </api>; rel="index"' };

const EARLIER_RUN_STYLE =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{max-width:36rem;margin:15vh auto;padding:0 1.5rem}h1{font-size:1.25rem}code{font-size:.9em}';

const EARLIER_RUN_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>dot-mi has restarted</title>
<style>${EARLIER_RUN_STYLE}</style>
<h1>dot-mi has restarted, so this link doesn’t work anymore</h1>
<p>Open the new link that dot-mi printed in its terminal. It ends in <code>#token=…</code>.</p>
<p>If you can’t see that terminal, look in the log, such as with <code>journalctl --user -u dot-mi</code>. Or restart dot-mi, which prints a new link.</p>
<p>The new page has what you typed. If a tab of the old link is still open, it offers the text that didn’t get there.</p>
`;

const EARLIER_RUN_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(EARLIER_RUN_STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};

/**
 * Sends a page that says what to do, if a browser opens the printed link of an earlier start. Returns false for any other
 * request, which gets the error as JSON.
 */
export const sendEarlierRun = (req: IncomingMessage, res: ServerResponse): boolean => {
  const name = (req.headers.host ?? '').toLowerCase().replace(/:\d+$/, '');
  const isForPage = req.method === 'GET' && req.headers.accept?.includes('text/html') === true;
  if (!isForPage || !isRunHost(name)) return false;
  requestNotes(req).code = 'forbidden_host';
  res.writeHead(ERRORS.forbidden_host.status, EARLIER_RUN_HEADERS).end(EARLIER_RUN_PAGE);
  return true;
};

/**
 * Sends the built page from `directory`. Files with a hash in their name never change. For a page path
 * (`/agents/scout`), browsers get index.html, and programs that don't accept HTML get the JSON 404. `readTheme`
 * returns the chosen theme, which applies from the first paint.
 */
export const createPage = (
  directory: string,
  admission: Pick<Admission, 'admitPage'>,
  readTheme: () => Promise<string | undefined>,
): RequestHandler => {
  const router = Router();
  type PageHandler = (...parameters: Parameters<RequestHandler>) => Promise<void>;
  /** Gives a request a place until it's sent, because anyone can send it. */
  const admitted =
    (handler: PageHandler): RequestHandler =>
    async (req, res, next) => {
      admission.admitPage(req);
      await whileHandling(req, handler(req, res, next));
      // As in send.ts: a client that doesn't read must not use a place.
      requestNotes(req).leave?.();
    };
  // SECURITY: files are sent from memory. From disk, each would hold a file handle until its client has read it.
  const files = new Map<string, Promise<Buffer>>();
  const read = (path: string): Promise<Buffer> => {
    const known = files.get(path) ?? readFile(join(directory, path));
    files.set(path, known);
    known.catch(() => files.delete(path));
    return known;
  };
  const sendIndex = admitted(async (_req, res) => {
    const page = (await read('index.html')).toString();
    const theme = await readTheme();
    // SECURITY: only a known theme gets into the page.
    const isKnown = THEMES.some((known) => known === theme);
    res
      .set({ 'Cache-Control': 'no-cache', ...API_LINK })
      .type('html')
      .send(isKnown ? page.replace('<html', `<html data-theme="${theme}"`) : page);
  });
  router.use(pageHeaders());
  router.get(
    '/assets/:name',
    admitted(async (req, res, next) => {
      const { name } = req.params;
      if (typeof name !== 'string' || !/^[\w-][\w.-]*$/.test(name)) return next();
      const content = await read(join('assets', name)).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (!content) return next();
      res.set('Cache-Control', 'public, max-age=31536000, immutable').type(extname(name)).send(content);
    }),
  );
  router.get('/', sendIndex);
  router.get('/{*path}', (req, res, next) => {
    if (req.path.startsWith('/assets/') || !req.headers.accept?.includes('text/html')) return next();
    return sendIndex(req, res, next);
  });
  return router;
};
