/** The CRC-32 of IEEE 802.3, as an unsigned number. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
};

/** An unsigned 32-bit number as four bytes, the most significant first. */
export const bigEndian32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

/** Joins byte arrays. */
export const concat = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** Major types of CBOR (RFC 8949, 3.1). */
const CBOR_UINT = 0;
const CBOR_BYTES = 2;
const CBOR_ARRAY = 4;

const cborHead = (majorType: number, value: number): Uint8Array => {
  const type = majorType << 5;
  if (value < 24) return Uint8Array.of(type | value);
  if (value < 0x100) return Uint8Array.of(type | 24, value);
  if (value < 0x1_0000) return Uint8Array.of(type | 25, value >> 8, value & 0xff);
  return concat(Uint8Array.of(type | 26), bigEndian32(value));
};

/** A number below 2^32 in CBOR. */
export const cborUint = (value: number): Uint8Array => cborHead(CBOR_UINT, value);

/** A byte string in CBOR. */
export const cborBytes = (bytes: Uint8Array): Uint8Array => concat(cborHead(CBOR_BYTES, bytes.length), bytes);

/** A list of items that are already in CBOR. */
export const cborArray = (...items: readonly Uint8Array[]): Uint8Array =>
  concat(cborHead(CBOR_ARRAY, items.length), ...items);

/** The first and the last letter of each of the 256 bytewords, in order (BCR-2020-012). */
const BYTEWORD_ENDS =
  'aeadaoaxaaahamatayasbkbdbnbtbabsbebybgbwbbbzcmchcscfcycwcecackctcxclcpcndkdadsdidedtdrdndwdpdmdl' +
  'dyeheyeoeeecenemetesftfrfnfsfmfhfzfpfwfxfyfefgflfdgagegrgsgtglgwgdgygmgughgohfhghdhkhthphhhlhyhe' +
  'hnhsidiaieihiyioisinimjejzjnjtjljojsjpjkjykpkoktkskkknkgkekikblblalylflslrlplnltloldlelulklgmnmy' +
  'mhmemomumwmdmtmsmknlnyndnsntnnnenboyoeotoxonolospdptpkpypspmplpepfpaprqdqzrerprlrorhrdrkrfryrnrs' +
  'rtsesasrssskswstspsosgsbsfsntotktitttdtetytltbtstptatnuyuoutueurvtvyvovlvevwvavdvswlwdwmwpwewywsw' +
  'twnwzwfwkykynylyaytzszoztzczezm';

/** Bytes as minimal bytewords: two letters per byte, and a checksum at the end. */
export const bytewords = (bytes: Uint8Array): string =>
  Array.from(concat(bytes, bigEndian32(crc32(bytes))), (byte) =>
    BYTEWORD_ENDS.slice(2 * byte, 2 * byte + 2),
  ).join('');
