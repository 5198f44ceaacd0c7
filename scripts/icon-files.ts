// Writers of Windows' and macOS' icon files. The libraries for it are old and large, or programs that are fetched at run
// time; the two formats are lists of pictures with a head.

/**
 * A square picture, both ways: as a PNG file, and as RGBA bytes from the top left (may be empty from
 * {@link ICO_PNG_SIZE} on). `size` in pixels.
 */
export interface Picture {
  size: number;
  png: Buffer;
  rgba: Buffer;
}

const ICO_HEAD_BYTES = 6;
const ICO_ENTRY_BYTES = 16;
const DIB_HEAD_BYTES = 40;
/** From here on an .ico holds PNG files; smaller pictures are bitmaps, as some corners of Windows read nothing else. */
export const ICO_PNG_SIZE = 256;

/** A bitmap as it stands in an .ico: BGRA from the bottom left, then a mask that alpha has made superfluous. */
const encodeDib = ({ size, rgba }: Picture): Buffer => {
  const maskRowBytes = Math.ceil(size / 32) * 4;
  const head = Buffer.alloc(DIB_HEAD_BYTES);
  head.writeUInt32LE(DIB_HEAD_BYTES, 0);
  head.writeInt32LE(size, 4);
  // Colours and mask count together.
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

/** An .ico of these pictures, each at most 256 pixels wide. */
export const encodeIco = (pictures: readonly Picture[]): Buffer => {
  const bodies = pictures.map((picture) => (picture.size >= ICO_PNG_SIZE ? picture.png : encodeDib(picture)));
  const head = Buffer.alloc(ICO_HEAD_BYTES + ICO_ENTRY_BYTES * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = head.length;
  for (const [index, { size }] of pictures.entries()) {
    const at = ICO_HEAD_BYTES + ICO_ENTRY_BYTES * index;
    const bytes = bodies[index]?.length ?? 0;
    // 0 stands for 256.
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

/** Types of PNG in an .icns by their pixels; most sizes serve twice, for screens of one and of two pixels a point. */
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

/** An .icns of these pictures. */
export const encodeIcns = (pictures: readonly Picture[]): Buffer =>
  icnsBlock(
    'icns',
    Buffer.concat(
      pictures.flatMap(({ size, png }) => (ICNS_TYPES[size] ?? []).map((type) => icnsBlock(type, png))),
    ),
  );
