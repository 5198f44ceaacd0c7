/** A name that nobody else makes, as of an Idempotency-Key: 128 random bits in hex. */
// `crypto.randomUUID` is missing where the page is not served from this machine (HOST) and without TLS.
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
