import { isIP } from 'node:net';
import { LOOPBACK_HOSTS, PAGE_HOST } from '../../shared/page-host.ts';
import { type HttpServer, PortInUseError, StartError } from './http-server.ts';

/** A listening server. */
export interface Listening {
  /** Without a trailing slash, such as `http://127.0.0.1:8000`. */
  url: string;
  /** The page's origin in the printed link. No other program can have left a service worker there. */
  pageOrigin: string;
  /** Returns whether only this server can respond at an origin while it listens. */
  ownsOrigin(origin: string): boolean;
  close(): Promise<void>;
}

/** A port that is free on one address may be taken on the other. */
const FREE_PORT_ATTEMPTS = 5;

const originOf = (host: string, port: number) => new URL(`http://${host}:${port}`).origin;

const portOf = (url: string) => Number(new URL(url).port || 80);

/**
 * SECURITY: browsers try ::1 first for `localhost` and its subdomains, so a program there would get our requests.
 * Returns false if there's no IPv6, because then nothing else can listen there. Throws {@link PortInUseError}.
 */
const listenOnSix = async (server: HttpServer, port: number): Promise<boolean> => {
  try {
    await server.listen('::1', port);
    return true;
  } catch (error) {
    if (error instanceof PortInUseError) throw new PortInUseError('127.0.0.1', port, ' at ::1');
    if (error instanceof StartError) return false;
    throw error;
  }
};

const listenOnLoopback = async (
  makeServer: () => HttpServer,
  port: number,
  runHost: string,
): Promise<Listening> => {
  for (let attempt = 1; ; attempt++) {
    const four = makeServer();
    const six = makeServer();
    const url = await four.listen('127.0.0.1', port);
    const chosen = portOf(url);
    try {
      const hasSix = await listenOnSix(six, chosen);
      const names = ['127.0.0.1', 'localhost', PAGE_HOST, runHost, ...(hasSix ? ['[::1]'] : [])];
      const origins = new Set(names.map((name) => originOf(name, chosen)));
      return {
        url,
        pageOrigin: originOf(runHost, chosen),
        ownsOrigin: (origin) => origins.has(origin),
        close: async () => {
          await Promise.all([four.close(), ...(hasSix ? [six.close()] : [])]);
        },
      };
    } catch (error) {
      await four.close();
      if (!(error instanceof PortInUseError) || port !== 0 || attempt === FREE_PORT_ATTEMPTS) throw error;
    }
  }
};

/** Returns whether an origin has this port and an IP address that a wildcard covers. */
const isCovered = (origin: string, wildcard: string, port: number): boolean => {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  const family = isIP(url.hostname.replace(/^\[|\]$/g, ''));
  const isInFamily = family === 4 || (family === 6 && wildcard === '::');
  return url.protocol === 'http:' && isInFamily && portOf(origin) === port;
};

const listenElsewhere = async (
  makeServer: () => HttpServer,
  host: string,
  port: number,
): Promise<Listening> => {
  const server = makeServer();
  const url = await server.listen(host, port);
  const { origin } = new URL(url);
  const isWildcard = host === '0.0.0.0' || host === '::';
  return {
    url,
    pageOrigin: url,
    ownsOrigin: (requested) =>
      requested === origin || (isWildcard && isCovered(requested, host, portOf(url))),
    close: () => server.close(),
  };
};

/**
 * Listens on an address. Port 0 picks a free port. For loopback, it listens on both 127.0.0.1 and ::1 or fails, so
 * that no other program can respond at `localhost`. The page's host is then `runHost`. Throws {@link
 * StartError}.
 */
export const listen = (
  makeServer: () => HttpServer,
  host: string,
  port: number,
  runHost: string,
): Promise<Listening> =>
  LOOPBACK_HOSTS.includes(host)
    ? listenOnLoopback(makeServer, port, runHost)
    : listenElsewhere(makeServer, host, port);
