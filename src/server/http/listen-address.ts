import { isIP } from 'node:net';

const WILDCARDS = ['0.0.0.0', '[::]'];

/** A listening address as in a URL and the `Host` header: `::1` is `[::1]`, in lower case, without a zone. */
export const urlHostOf = (host: string): string => {
  if (isIP(host) !== 6) return host.toLowerCase();
  const text = `http://[${host.replace(/%.*$/, '')}]`;
  return URL.canParse(text) ? new URL(text).hostname : `[${host.toLowerCase()}]`;
};

/**
 * The host to print for a server: one that works here and that the guard accepts.
 *
 * `host` is the setting, and `bound` is the address that the system chose for it. A browser can't open "every
 * address", so a wildcard is printed as loopback of its family. A name stays a name, because the guard knows
 * only the name.
 */
export const printedHostOf = (host: string, bound: string): string => {
  const named = urlHostOf(host);
  if (named === 'localhost') return urlHostOf(bound);
  if (!WILDCARDS.includes(named)) return named;
  return named === '[::]' ? '[::1]' : '127.0.0.1';
};

/** Whether an origin is behind a TLS proxy, where the certificate proves whose page it is. */
export const isPublicOrigin = (allowedHosts: readonly string[], origin: string): boolean =>
  URL.canParse(origin) &&
  new URL(origin).protocol === 'https:' &&
  allowedHosts.includes(new URL(origin).hostname);
