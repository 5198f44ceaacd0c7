import { isIP } from 'node:net';

const WILDCARDS = ['0.0.0.0', '[::]'];

/**
 * Formats a listening address for a URL and the `Host` header, in lowercase and without a zone: `::1` becomes `[::1]`.
 */
export const urlHostOf = (host: string): string => {
  if (isIP(host) !== 6) return host.toLowerCase();
  const text = `http://[${host.replace(/%.*$/, '')}]`;
  return URL.canParse(text) ? new URL(text).hostname : `[${host.toLowerCase()}]`;
};

/**
 * Returns the host to print for a server: one that works on this computer and that the guard accepts.
 *
 * `host` is the setting, and `bound` is the address that the system chose for it. Browsers can't open a wildcard, so
 * it's printed as loopback of the same family. A name stays a name, because the guard knows only the name.
 */
export const printedHostOf = (host: string, bound: string): string => {
  const named = urlHostOf(host);
  if (named === 'localhost') return urlHostOf(bound);
  if (!WILDCARDS.includes(named)) return named;
  return named === '[::]' ? '[::1]' : '127.0.0.1';
};

/** Returns whether an origin is that of a TLS proxy, whose certificate proves who owns the page. */
export const isPublicOrigin = (allowedHosts: readonly string[], origin: string): boolean =>
  URL.canParse(origin) &&
  new URL(origin).protocol === 'https:' &&
  allowedHosts.includes(new URL(origin).hostname);
