/** A unique name, such as an Idempotency-Key: 128 random bits in hex. */
// `crypto.randomUUID` is missing if the page is from another machine (HOST) without TLS.
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The name of this page, which no other page has. A reload makes another. */
export const pageWriter = randomKey();
