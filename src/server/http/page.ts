import express, { type RequestHandler, Router } from 'express';
import helmet from 'helmet';

const NONE = ["'none'"];
const SELF = ["'self'"];

/** The headers of the page: only our own files, no frames, no inline code. */
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
    // We serve plain http on loopback. A promise of https would lock the browser out.
    strictTransportSecurity: false,
  });

/** RFC 8631: where a program that finds the page finds the API. */
const API_LINK = { Link: '</api/openapi.json>; rel="service-desc", </api>; rel="index"' };

/**
 * Serves the built page from `directory`. Files with a hash in their name never change. For a path of the
 * page (`/agents/scout`), a browser gets index.html. A program that doesn't accept HTML gets the JSON 404.
 */
export const createPage = (directory: string): RequestHandler => {
  const router = Router();
  router.use(pageHeaders());
  router.use(
    '/assets',
    express.static(`${directory}/assets`, { immutable: true, maxAge: '1y', fallthrough: true, index: false }),
  );
  router.use(
    express.static(directory, {
      cacheControl: false,
      setHeaders: (res) => void res.set({ 'Cache-Control': 'no-cache', ...API_LINK }),
    }),
  );
  router.get('/{*path}', (req, res, next) => {
    if (req.path.startsWith('/assets/') || !req.headers.accept?.includes('text/html')) return next();
    res.sendFile('index.html', {
      root: directory,
      cacheControl: false,
      headers: { 'Cache-Control': 'no-cache', ...API_LINK },
    });
  });
  return router;
};
