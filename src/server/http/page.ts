import { readFile } from 'node:fs/promises';
import express, { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { THEMES } from '../../shared/desktop-bridge.ts';

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
  readTheme: () => Promise<string | undefined> = async () => undefined,
): RequestHandler => {
  const router = Router();
  const sendIndex: RequestHandler = async (_req, res) => {
    const headers = { 'Cache-Control': 'no-cache', ...API_LINK };
    const theme = await readTheme();
    // SECURITY: only a known theme gets into the page.
    if (!THEMES.some((known) => known === theme))
      return res.sendFile('index.html', { root: directory, cacheControl: false, headers });
    const page = await readFile(`${directory}/index.html`, 'utf8');
    res
      .set(headers)
      .type('html')
      .send(page.replace('<html', `<html data-theme="${theme}"`));
  };
  router.use(pageHeaders());
  router.use(
    '/assets',
    express.static(`${directory}/assets`, { immutable: true, maxAge: '1y', fallthrough: true, index: false }),
  );
  router.get('/', sendIndex);
  router.use(
    express.static(directory, {
      cacheControl: false,
      setHeaders: (res) => void res.set({ 'Cache-Control': 'no-cache', ...API_LINK }),
    }),
  );
  router.get('/{*path}', (req, res, next) => {
    if (req.path.startsWith('/assets/') || !req.headers.accept?.includes('text/html')) return next();
    return sendIndex(req, res, next);
  });
  return router;
};
