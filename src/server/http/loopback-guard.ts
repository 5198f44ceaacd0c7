import type { IncomingMessage } from 'node:http';
import { AppError } from '../platform/app-error.ts';

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]*[a-z0-9-])(:[0-9]{1,5})?$/;

/** Refuses a request by throwing, before anything of its body is read. */
export type Guard = (req: IncomingMessage) => void;

const countHosts = (rawHeaders: readonly string[]) => {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++;
  return count;
};

/**
 * Keeps web pages of other origins out of a server on loopback.
 *
 * SECURITY: a browser sends what a page asks for, so loopback is no boundary. `Host` must be ours (a page whose name
 * was rebound to 127.0.0.1 says its own name), `Origin` must be this very host, and a request that the browser calls
 * cross-site is refused even where it sends no Origin. curl and agents send neither and pass. In development Vite's
 * proxy leaves Host and Origin as the browser sent them, so its page passes by the same rule.
 *
 * `allowedHosts` are further names `Host` may say, without port, in lower case.
 * Throws `forbidden_host`, `forbidden_origin`.
 */
export const createLoopbackGuard = (allowedHosts: readonly string[]): Guard => {
  const isOurHost = (host: string) => {
    const name = HOST.exec(host)?.[1];
    return name !== undefined && (LOOPBACK_HOST.test(name) || allowedHosts.includes(name));
  };

  return (req) => {
    const host = (req.headers.host ?? '').toLowerCase();
    // A proxy may be handed an absolute URL, whose host would then count instead of the header.
    if (!req.url?.startsWith('/') || countHosts(req.rawHeaders) !== 1 || !isOurHost(host)) {
      throw new AppError(
        'forbidden_host',
        'The Host header does not name this machine. Call http://127.0.0.1 or http://localhost, or list the name in ALLOWED_HOSTS.',
      );
    }
    const { origin } = req.headers;
    const site = req.headers['sec-fetch-site'];
    const foreignOrigin = origin !== undefined && origin !== `http://${host}`;
    if (foreignOrigin || (site === 'cross-site' && req.url.startsWith('/api'))) {
      throw new AppError('forbidden_origin', 'Requests from web pages of other origins are refused.');
    }
  };
};
