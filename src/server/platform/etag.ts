import { hash } from 'node:crypto';

/** The ETag of a file's bytes (RFC 9110, 8.8.3): strong, their SHA-256 in hex. */
export const etagOf = (bytes: Uint8Array): string => `"${hash('sha256', bytes)}"`;

/**
 * Whether the value of If-None-Match names the ETag of a response, so that its client has it (RFC 9110, 13.1.2). A proxy
 * that compresses answers makes their ETags weak, and this comparison ignores that.
 */
export const hasResponse = (condition: string | undefined, etag: string): boolean =>
  condition !== undefined && namesEtag(condition.replaceAll('W/"', '"'), etag);

/**
 * Whether the value of If-Match or If-None-Match names the ETag of a file (RFC 9110, 13.1). Null or undefined: the file
 * doesn't exist, so nothing names it. Weak ETags never match, because ours are strong.
 */
export const namesEtag = (condition: string, etag: string | null | undefined): boolean =>
  typeof etag === 'string' &&
  (condition.trim() === '*' || condition.split(',').some((part) => part.trim() === etag));
