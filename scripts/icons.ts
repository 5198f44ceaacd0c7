// `npm run icons`: draws packaging/icons, resources/icon.png and resources/tray from the page's icon. The output is committed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { ensureChromium } from './chromium.ts';
import { encodeIcns, encodeIco, ICO_PNG_SIZE, type Picture } from './icon-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'packaging', 'icons');
const svg = readFileSync(join(root, 'src', 'renderer', 'src', 'icon.svg'), 'utf8');

const trayOut = join(root, 'resources', 'tray');
/** The icon of the window on Linux, which Electron reads from a file. */
const windowIcon = join(root, 'resources', 'icon.png');
const WINDOW_SIZE = 256;
const TRAY_SIZE = 16;
/** macOS uses only the shape and tints it to match the menu bar. */
const TEMPLATE_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="4 8 24 20"><circle cx="10" cy="21.5" r="3.2"/><path d="M16.5 24.5v-8.5a3.5 3.5 0 0 1 7 0v8.5" fill="none" stroke="#000" stroke-width="3.4" stroke-linecap="round"/></svg>';

const LINUX_SIZES = [16, 24, 32, 48, 64, 128, 256, 512];
/** The tray's sizes on Windows, at scales from 100 to 300 %. */
const WINDOWS_TRAY_SIZES = [16, 20, 24, 32, 40, 48];
const WINDOWS_SIZES = [16, 24, 32, 48, 64, 128, 256];
const MAC_SIZES = [32, 64, 128, 256, 512, 1024];
/** Apple's grid: the shape fills 824 of 1024 pixels, and its shadow needs the rest. */
const MAC_SHARE = 824 / 1024;

const browser = await chromium.launch({ executablePath: ensureChromium() });
const page = await browser.newPage();

/** Draws a picture on a transparent square of `size` pixels. It fills `share` of the side. */
const draw = async (size: number, share = 1, picture = svg): Promise<Picture> => {
  const { png, rgba } = await page.evaluate(
    async ({ svg, size, share, needsPixels }) => {
      const image = new Image();
      image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = size;
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      const side = size * share;
      context.drawImage(image, (size - side) / 2, (size - side) / 2, side, side);
      return {
        png: canvas.toDataURL('image/png').slice('data:image/png;base64,'.length),
        rgba: needsPixels ? [...context.getImageData(0, 0, size, size).data] : [],
      };
    },
    { svg: picture, size, share, needsPixels: size < ICO_PNG_SIZE },
  );
  return { size, png: Buffer.from(png, 'base64'), rgba: Buffer.from(rgba) };
};

const drawAll = async (sizes: readonly number[], share?: number): Promise<Picture[]> => {
  const pictures: Picture[] = [];
  for (const size of sizes) pictures.push(await draw(size, share));
  return pictures;
};

try {
  mkdirSync(join(out, 'linux'), { recursive: true });
  for (const { size, png } of await drawAll(LINUX_SIZES))
    writeFileSync(join(out, 'linux', `${size}x${size}.png`), png);
  writeFileSync(windowIcon, (await draw(WINDOW_SIZE)).png);
  writeFileSync(join(out, 'icon.ico'), encodeIco(await drawAll(WINDOWS_SIZES)));
  writeFileSync(join(out, 'icon.icns'), encodeIcns(await drawAll(MAC_SIZES, MAC_SHARE)));
  writeFileSync(join(trayOut, 'tray.ico'), encodeIco(await drawAll(WINDOWS_TRAY_SIZES)));
  for (const [name, picture] of [
    ['tray', svg],
    ['trayTemplate', TEMPLATE_SVG],
  ] as const) {
    for (const [suffix, size] of [
      ['', TRAY_SIZE],
      ['@2x', TRAY_SIZE * 2],
    ] as const)
      writeFileSync(join(trayOut, `${name}${suffix}.png`), (await draw(size, 1, picture)).png);
  }
} finally {
  await browser.close();
}
console.log(`Icons written to ${out}, ${trayOut} and ${windowIcon}.`);
