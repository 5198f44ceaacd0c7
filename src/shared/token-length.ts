import { readCbor } from './cbor.ts';

/** Decodes base64 in either alphabet, up to the padding. Leaves out the bits of an incomplete last byte. */
const decodeBase64 = (text: string): Uint8Array => {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=.*/s, '');
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  return Uint8Array.from(atob(whole), (char) => char.charCodeAt(0));
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

/** Matches a CBOR map (major type 5), perhaps after the tag that marks CBOR (55799, RFC 8949). */
const isMap = (bytes: Uint8Array): boolean =>
  ((bytes[0] === 0xd9 && bytes[1] === 0xd9 && bytes[2] === 0xf7 ? bytes[3] : bytes[0]) ?? 0) >> 5 === 5;

/** Returns the length of the CBOR map at the start of the bytes. Undefined if the map is incomplete. */
const cborLength = (bytes: Uint8Array): number | undefined => {
  try {
    return isMap(bytes) ? readCbor(bytes).length : undefined;
  } catch {
    return undefined;
  }
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
