import type { IncomingMessage } from 'node:http';
import { isRunHost, PAGE_HOST } from '../../shared/page-host.ts';
import { AppError } from '../platform/app-error.ts';
import { urlHostOf } from './listen-address.ts';

const LOOPBACK_NAMES: readonly string[] = ['localhost', PAGE_HOST, '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]*[a-z0-9-])(?::([0-9]{1,5}))?$/;
const ORIGIN = /^(https?):\/\/(.+)$/;

/** Throws to refuse a request, before its body is read. */
export type Guard = (req: IncomingMessage) => void;

/** The hosts that a {@link Guard} accepts in addition to loopback. */
interface GuardOptions {
  /** ALLOWED_HOSTS: names without a port, in lowercase. Their pages can also come through a TLS proxy. */
  allowedHosts: readonly string[];
  /** HOST: the address we listen on, which callers can use too. */
  listenHost: string;
  /** The page's host name in the printed link, new at each start. */
  runHost: string;
}

interface HostParts {
  name: string;
  /** Undefined for the scheme's default. */
  port: string | undefined;
}

const countHosts = (rawHeaders: readonly string[]) => {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
};

const parseHost = (text: string): HostParts | undefined => {
  const match = HOST.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1], port: match[2] };
};

/**
 * Keeps web pages from other origins out of a server on loopback.
 *
 * SECURITY: a browser sends requests for any page, so loopback isn't a boundary. `Host` must be ours: a page whose
 * name was rebound to 127.0.0.1 sends its own name. `Origin` must match this host. An API request that the browser
 * calls cross-site is refused even without Origin. curl and agents send neither and pass.
 *
 * Two more origins are accepted (docs/adr/0018): `https` for a name in ALLOWED_HOSTS, because a TLS proxy changes the
 * scheme, and a loopback page that the browser calls same-origin, because a development proxy changes Host.
 *
 * Throws `forbidden_host` and `forbidden_origin`.
 */
export const createLoopbackGuard = ({ allowedHosts, listenHost, runHost }: GuardOptions): Guard => {
  const listenName = urlHostOf(listenHost);
  const isLoopbackName = (name: string) => LOOPBACK_NAMES.includes(name) || name === runHost;
  const isOurName = (name: string) =>
    isLoopbackName(name) || name === listenName || allowedHosts.includes(name);

  const isOurOrigin = (origin: string, host: HostParts, hostText: string, isSameOrigin: boolean): boolean => {
    if (origin === `http://${hostText}`) return true;
    const [, scheme, rest = ''] = ORIGIN.exec(origin) ?? [];
    const from = parseHost(rest);
    if (!from) return false;
    if (scheme === 'https') {
      if (from.name !== host.name || !allowedHosts.includes(host.name)) return false;
      // A proxy may drop its port from Host or replace it with ours. Then only the browser can compare the ports.
      return isSameOrigin || (from.port ?? '443') === (host.port ?? '443');
    }
    return isSameOrigin && isLoopbackName(host.name) && isLoopbackName(from.name);
  };

  /** The last request's Host, which is nearly always the same as the next one's. */
  let last: { text: string | undefined; parts: HostParts | undefined } = {
    text: undefined,
    parts: undefined,
  };
  const hostOf = (text: string | undefined): HostParts | undefined => {
    if (last.text !== text) last = { text, parts: parseHost((text ?? '').toLowerCase()) };
    return last.parts;
  };

  return (req) => {
    const host = hostOf(req.headers.host);
    // A request meant for a proxy can have an absolute URL, whose host overrides the header.
    if (!req.url?.startsWith('/') || countHosts(req.rawHeaders) !== 1 || !host || !isOurName(host.name)) {
      throw new AppError(
        'forbidden_host',
        host && isRunHost(host.name)
          ? 'dot-mi has restarted, so this link doesn’t work anymore. Open the new link that it printed.'
          : 'The Host header doesn’t name this computer. Call http://127.0.0.1 or http://localhost, or list the name in ALLOWED_HOSTS.',
      );
    }
    // Browsers send this header to fetch a service worker's script. dot-mi has none, so another program left it.
    if (req.headers['service-worker'] !== undefined)
      throw new AppError('forbidden_origin', 'dot-mi has no service worker.');
    const { origin } = req.headers;
    // Scripts can't set this header: browsers reserve every name that starts with "Sec-".
    const site = req.headers['sec-fetch-site'];
    const isForeign =
      origin !== undefined &&
      !isOurOrigin(origin, host, req.headers.host?.toLowerCase() ?? '', site === 'same-origin');
    if (isForeign || (site === 'cross-site' && req.url.startsWith('/api'))) {
      throw new AppError('forbidden_origin', 'dot-mi refuses requests from web pages of other origins.');
    }
  };
};
