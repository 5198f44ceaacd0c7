// `npm run screenshots`: the pictures of the README, taken of the starter root in a real Chromium.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { build } from './build.ts';
import { ensureChromium } from './chromium.ts';

const SIZE = { width: 1280, height: 800 };
const docs = fileURLToPath(new URL('../docs/', import.meta.url));
const headless = fileURLToPath(new URL('../out/main/headless.js', import.meta.url));

const startServer = (directory: string) => {
  const child = spawn(process.execPath, [headless], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /page {2}(\S+)/.exec(String(chunk));
      if (found?.[1]) resolve(found[1]);
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, url };
};

if (!build()) process.exit(1);
const directory = mkdtempSync(join(tmpdir(), 'dot-mi-screenshots-'));
const { child, url } = startServer(directory);
try {
  const browser = await chromium.launch({ executablePath: ensureChromium() });
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await page.goto(await url);
  await page.getByRole('button', { name: 'Use the starter root' }).click();
  await page.getByRole('option', { name: /scout/ }).click();
  await page.getByRole('textbox', { name: 'SYSTEM.md of scout' }).waitFor();
  // The picture is of a page at rest, without a caret.
  await page.mouse.move(SIZE.width - 1, SIZE.height - 1);
  await page.screenshot({ path: join(docs, 'page.png'), caret: 'hide', animations: 'disabled' });
  await browser.close();
} finally {
  child.removeAllListeners('exit');
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(directory, { recursive: true, force: true });
}
