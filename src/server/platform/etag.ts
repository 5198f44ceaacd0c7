import { createHmac, createSecretKey } from 'node:crypto';

/** Returns a strong ETag for a file's or a response's bytes (RFC 9110, 8.8.3): 64 hex digits in quotes. */
export type EtagOf = (bytes: Uint8Array) => string;

/**
 * Creates the {@link EtagOf} of an installation key, in hex. The same bytes have the same ETag after a restart, and
 * in each thread.
 */
export const createEtagOf = (installationKey: string): EtagOf => {
  // Parsed once, because parsing takes longer than hashing a small file.
  const key = createSecretKey(installationKey, 'hex');
  // SECURITY: without the key, a caller could find a file's hidden values by hashing guesses.
  return (bytes) => `"${createHmac('sha256', key).update(bytes).digest('hex')}"`;
};

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
