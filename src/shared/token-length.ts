/** The values of base64 characters in both alphabets, by character code. */
const SEXTETS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((char, value) => [
    char.charCodeAt(0),
    value,
  ]),
);
SEXTETS.set('-'.charCodeAt(0), 62);
SEXTETS.set('_'.charCodeAt(0), 63);

/** Decodes base64 in either alphabet. Leaves out the bits of an incomplete last byte. */
const decodeBase64 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let [bits, count, at] = [0, 0, 0];
  for (let index = 0; index < text.length; index++) {
    bits = ((bits << 6) | (SEXTETS.get(text.charCodeAt(index)) ?? 0)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = bits >> count;
  }
  return bytes;
};

const [QUOTE, BACKSLASH, OPEN, CLOSE] = ['"', '\\', '{', '}'].map((char) => char.charCodeAt(0));

/** Returns the length of the JSON object at the start of the bytes. Undefined if the object is incomplete. */
const jsonLength = (bytes: Uint8Array): number | undefined => {
  if (bytes[0] !== OPEN) return undefined;
  let [depth, isInText] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInText = false;
    } else if (byte === QUOTE) isInText = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  return undefined;
};

/** The deepest nesting in a token, which has maps in lists in a map. Deeper data isn't a token. */
const DEEPEST = 16;

/** Returns the length of the CBOR map at the start of the bytes (RFC 8949). Undefined if the map is incomplete. */
const cborLength = (bytes: Uint8Array): number | undefined => {
  if ((bytes[0] ?? 0) >> 5 !== 5) return undefined;
  /** How many items are left at each level. Infinite if a break ends them. */
  const left = [1];
  let at = 0;
  while (left.length > 0) {
    const level = left.length - 1;
    const items = left[level] ?? 0;
    if (items === 0) {
      left.pop();
      continue;
    }
    const head = bytes[at++];
    if (head === undefined || level > DEEPEST) return undefined;
    if (head === 0xff) {
      if (items !== Number.POSITIVE_INFINITY) return undefined;
      left.pop();
      continue;
    }
    left[level] = items - 1;
    const [kind, info] = [head >> 5, head & 31];
    let value = info === 31 ? Number.POSITIVE_INFINITY : info;
    if (info >= 24 && info <= 27) {
      value = 0;
      for (let size = 1 << (info - 24); size > 0; size--) value = value * 256 + (bytes[at++] ?? 0);
    } else if (info > 27 && info < 31) return undefined;
    // In strings, lists, maps and tags, more follows the head.
    if (kind === 2 || kind === 3) {
      if (info === 31) left.push(value);
      else at += value;
    } else if (kind === 4) left.push(value);
    else if (kind === 5) left.push(value * 2);
    else if (kind === 6) left.push(1);
    if (at > bytes.length) return undefined;
  }
  return at;
};

/**
 * Returns the length of a token's content, in base64 characters: JSON after `cashuA`, CBOR after `cashuB` (NUT-00).
 * Both formats say where they end, so text that follows isn't part of the token. Undefined if the content isn't
 * complete. Takes linear time.
 */
export const contentLength = (version: 'A' | 'B', base64: string): number | undefined => {
  const bytes = decodeBase64(base64);
  const length = version === 'A' ? jsonLength(bytes) : cborLength(bytes);
  return length === undefined ? undefined : Math.ceil((length * 4) / 3);
};
