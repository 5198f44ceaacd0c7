/** Returns a unique name, such as an Idempotency-Key: 128 random bits in hex. */
// `crypto.randomUUID` doesn't exist if the page comes from another computer (HOST) without TLS.
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** This page's unique name. A reload creates a new one. */
export const pageWriter = randomKey();
