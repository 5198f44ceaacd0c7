import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { installDebianPackages } from './debian.ts';

const NAMES = [
  // Has everything a page needs and starts sooner, because it can't draw a window.
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome.exe',
  'msedge.exe',
];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];
const DOWNLOAD_TIMEOUT_MS = 3 * 60 * 1000;

/** The path of a Chromium: CHROMIUM_PATH, on PATH, in a usual place, or Playwright's own. Else undefined. */
export const findChromium = (): string | undefined => {
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((directory) => NAMES.map((name) => join(directory, name)));
  return [process.env.CHROMIUM_PATH, ...onPath, ...PLACES, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
};

const run = (file: string, args: readonly string[], timeout: number) =>
  spawnSync(file, args, { stdio: 'ignore', timeout }).status === 0;

/** Debian has both packages. Its derivatives may lack the headless shell. */
const installDebians = (): boolean =>
  installDebianPackages('chromium-headless-shell') || installDebianPackages('chromium');

/**
 * Finds a Chromium or installs one: Debian's package if apt-get may install it, otherwise Playwright's
 * download. If neither works, says in one line what to install and ends the process with 1.
 */
export const ensureChromium = (): string => {
  const found = findChromium();
  if (found) return found;
  console.log('No Chromium found. Installing one. This takes one to three minutes.');
  const cli = fileURLToPath(new URL('../node_modules/playwright/cli.js', import.meta.url));
  if (!installDebians()) {
    run(process.execPath, [cli, 'install', 'chromium-headless-shell', 'chromium'], DOWNLOAD_TIMEOUT_MS);
  }
  const installed = findChromium();
  if (installed) return installed;
  console.error(
    'dot-mi could not install Chromium, so install it yourself, and set CHROMIUM_PATH to its program file if it is not on PATH.',
  );
  return process.exit(1);
};
