import { hash } from 'node:crypto';

/** Returns a strong ETag for a file's bytes (RFC 9110, 8.8.3): their SHA-256 in hex. */
export const etagOf = (bytes: Uint8Array): string => `"${hash('sha256', bytes)}"`;

/**
 * Returns whether If-None-Match names a response's ETag, so the client has it already (RFC 9110, 13.1.2). Ignores
 * weakness, because a proxy that compresses responses makes their ETags weak.
 */
export const hasResponse = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined && namesEtag(condition.replaceAll('W/"', '"'), etag);

/**
 * Returns whether If-Match or If-None-Match names a file's ETag (RFC 9110, 13.1). Null or undefined means the file
 * doesn't exist, so nothing matches. Weak ETags never match, because ours are strong.
 */
export const namesEtag = (condition: string, etag: string | null | undefined): boolean =>
  typeof etag === 'string' &&
  (condition.trim() === '*' || condition.split(',').some((part) => part.trim() === etag));
