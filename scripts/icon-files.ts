// Writes icon files for Windows and macOS. The libraries for this are old and large, or download programs at
// run time. Both formats are lists of pictures with a header.

/**
 * A square picture as a PNG file, and as RGBA bytes from the top left. `size` is in pixels. `rgba` may be
 * empty from {@link ICO_PNG_SIZE} up.
 */
export interface Picture {
  size: number;
  png: Buffer;
  rgba: Buffer;
}

const ICO_HEAD_BYTES = 6;
const ICO_ENTRY_BYTES = 16;
const DIB_HEAD_BYTES = 40;
/** An .ico holds PNG files from this size up. Some parts of Windows read smaller pictures only as bitmaps. */
export const ICO_PNG_SIZE = 256;

/** Encodes a bitmap for an .ico: BGRA from the bottom left, then a mask that alpha makes unnecessary. */
const encodeDib = ({ size, rgba }: Picture): Buffer => {
  const maskRowBytes = Math.ceil(size / 32) * 4;
  const head = Buffer.alloc(DIB_HEAD_BYTES);
  head.writeUInt32LE(DIB_HEAD_BYTES, 0);
  head.writeInt32LE(size, 4);
  // The height counts the colors and the mask.
  head.writeInt32LE(size * 2, 8);
  head.writeUInt16LE(1, 12);
  head.writeUInt16LE(32, 14);
  const pixels = Buffer.alloc(size * size * 4);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const from = (y * size + x) * 4;
      const to = ((size - 1 - y) * size + x) * 4;
      pixels.writeUInt8(rgba.readUInt8(from + 2), to);
      pixels.writeUInt8(rgba.readUInt8(from + 1), to + 1);
      pixels.writeUInt8(rgba.readUInt8(from), to + 2);
      pixels.writeUInt8(rgba.readUInt8(from + 3), to + 3);
    }
  }
  return Buffer.concat([head, pixels, Buffer.alloc(maskRowBytes * size)]);
};

/** Encodes an .ico of these pictures, each at most 256 pixels wide. */
export const encodeIco = (pictures: readonly Picture[]): Buffer => {
  const bodies = pictures.map((picture) => (picture.size >= ICO_PNG_SIZE ? picture.png : encodeDib(picture)));
  const head = Buffer.alloc(ICO_HEAD_BYTES + ICO_ENTRY_BYTES * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [index, { size }] of pictures.entries()) {
    const at = ICO_HEAD_BYTES + ICO_ENTRY_BYTES * index;
    const bytes = bodies[index]?.length ?? 0;
    // 0 means 256.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(bytes, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += bytes;
  }
  return Buffer.concat([head, ...bodies]);
};

/** PNG types in an .icns by size in pixels. Two types are for screens with one and two pixels per point. */
const ICNS_TYPES: Readonly<Record<number, readonly string[]>> = {
  32: ['ic11'],
  64: ['ic12'],
  128: ['ic07'],
  256: ['ic08', 'ic13'],
  512: ['ic09', 'ic14'],
  1024: ['ic10'],
};

const icnsBlock = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.write(type, 'ascii');
  head.writeUInt32BE(head.length + body.length, 4);
  return Buffer.concat([head, body]);
};

/** Encodes an .icns of these pictures. */
export const encodeIcns = (pictures: readonly Picture[]): Buffer =>
  icnsBlock(
    'icns',
    Buffer.concat(
      pictures.flatMap(({ size, png }) => (ICNS_TYPES[size] ?? []).map((type) => icnsBlock(type, png))),
    ),
  );
