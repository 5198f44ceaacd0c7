/** Returns whether an id is hex. Early mints have base64 ids, for which nobody creates outputs today. */
export const isHexId = (id: string): boolean => /^[0-9a-f]+$/i.test(id);

/** Returns whether a keyset's secrets are derived with HMAC (NUT-13, version 2), and not with BIP-32. */
export const usesHmac = (id: string): boolean => id.startsWith('01') && isHexId(id);

/** Returns the number that represents a keyset id in a BIP-32 path (NUT-13, version 1). */
export const keysetNumber = (id: string): number => {
  const bytes = Buffer.from(id, isHexId(id) ? 'hex' : 'base64');
  return Number(BigInt(`0x${bytes.toString('hex') || '0'}`) % BigInt(2 ** 31 - 1));
};

/**
 * Returns what a keyset's secrets depend on in addition to the words and a counter (NUT-13).
 *
 * SECURITY: different ids can have the same secrets. A version 1 id counts only as 31 bits, for which anyone can make
 * an id with keys of their own.
 */
export const derivationOf = (id: string): string =>
  usesHmac(id) ? Buffer.from(id, 'hex').toString('hex') : String(keysetNumber(id));
