import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { THEMES } from '../../shared/desktop-bridge.ts';
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
