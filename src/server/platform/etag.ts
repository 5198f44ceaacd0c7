import { hash } from 'node:crypto';

/** Most files are smaller, and a new buffer for each would take longer than its hash. */
const REUSED_BYTES = 64 * 1024;

/** Returns a strong ETag for a file's or a response's bytes (RFC 9110, 8.8.3): 64 hex digits in quotes. */
export type EtagOf = (bytes: Uint8Array) => string;

/**
 * Creates the {@link EtagOf} of an installation key, in hex. The same bytes have the same ETag after a restart, and
 * in each thread.
 */
export const createEtagOf = (installationKey: string): EtagOf => {
  const key = Buffer.from(installationKey, 'hex');
  const reused = Buffer.allocUnsafeSlow(REUSED_BYTES);
  /** Returns the bytes and the key in one buffer, which is valid until the next call. */
  const withKey = (bytes: Uint8Array): Buffer => {
    const length = bytes.length + key.length;
    if (length > reused.length) return Buffer.concat([bytes, key]);
    reused.set(bytes);
    reused.set(key, bytes.length);
    return reused.subarray(0, length);
  };
  // SECURITY: without the key, a caller could find a file's hidden values by hashing guesses. The key comes last, so
  // that nobody can lengthen a message. An HMAC takes three times as long for a small file.
  return (bytes) => `"${hash('sha256', withKey(bytes))}"`;
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
