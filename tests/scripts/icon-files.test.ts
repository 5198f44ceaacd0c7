import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Data } from 'resedit';
import { describe, expect, it } from 'vitest';
import { encodeIco } from '../../scripts/icon-files.ts';

const readAt = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)));
const read = (name: string) => readAt(`packaging/icons/${name}`);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

describe('an .ico', () => {
  it('contains a bitmap as Windows reads it: blue, green, red, alpha, from the bottom left', () => {
    const rgba = Buffer.from([1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255]);
    const [icon] = Data.IconFile.from(encodeIco([{ size: 2, png: PNG, rgba }])).icons;
    expect(icon).toMatchObject({ width: 2, height: 2, bitCount: 32 });
    const data = icon?.data;
    expect(data && 'pixels' in data && [...Buffer.from(data.pixels)]).toEqual([
      9, 8, 7, 255, 12, 11, 10, 255, 3, 2, 1, 255, 6, 5, 4, 255,
    ]);
  });

  it('of ours has every size that Windows asks for, the largest as a PNG', () => {
    const { icons } = Data.IconFile.from(read('icon.ico'));
    expect(icons.map(({ width }) => width || 256)).toEqual([16, 24, 32, 48, 64, 128, 256]);
    expect(icons.map(({ data }) => data.isRaw())).toEqual([false, false, false, false, false, false, true]);
  });

  it("of ours for the tray has the tray's size at each scale of Windows", () => {
    const { icons } = Data.IconFile.from(readAt('resources/tray/tray.ico'));
    expect(icons.map(({ width }) => width)).toEqual([16, 20, 24, 32, 40, 48]);
  });
});

describe('an .icns', () => {
  it('of ours contains a PNG of the right size for each type, and its lengths add up', () => {
    const file = read('icon.icns');
    expect(file.toString('ascii', 0, 4)).toBe('icns');
    expect(file.readUInt32BE(4)).toBe(file.length);
    const sizes: Record<string, number> = {};
    for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
      expect(file.subarray(at + 8, at + 16)).toEqual(PNG);
      sizes[file.toString('ascii', at, at + 4)] = file.readUInt32BE(at + 24);
    }
    expect(sizes).toEqual({
      ic11: 32,
      ic12: 64,
      ic07: 128,
      ic08: 256,
      ic13: 256,
      ic09: 512,
      ic14: 512,
      ic10: 1024,
    });
  });
});
