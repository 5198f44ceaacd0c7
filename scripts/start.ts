// `npm start`: builds, then opens the window where Electron and a display are to be had; else says why and serves the page.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const electronDirectory = join(root, 'node_modules', 'electron');
// A variable, so that it is not looked for before it is built.
const HEADLESS = '../out/main/headless.js';
const DOWNLOAD_TIMEOUT_MS = 5 * 60 * 1000;
/** An Electron that ends with an error this soon never opened a window. */
const FAILED_START_MS = 5000;

const electronBinary = () => {
  const pathFile = join(electronDirectory, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const binary = join(electronDirectory, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : undefined;
};

const fetchElectron = () => {
  console.log('Fetching Electron; this happens once.');
  spawnSync(process.execPath, [join(electronDirectory, 'install.js')], {
    stdio: 'ignore',
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  return electronBinary();
};

/** Why no window can open here, or undefined. */
const obstacle = () => {
  if (process.platform !== 'linux') return undefined;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'there is no display';
  if (process.getuid?.() === 0) return 'Electron keeps its sandbox only for users other than root';
  return undefined;
};

const servePage = async (why: string) => {
  console.log(`No window: ${why}. Serving the page instead; open the address below in a browser.`);
  await import(HEADLESS);
};

const openWindow = (binary: string) => {
  const startedAtMs = Date.now();
  const child = spawn(binary, [root], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass);
  process.on('SIGTERM', pass);
  child.on('exit', (code) => {
    process.off('SIGINT', pass);
    process.off('SIGTERM', pass);
    if (code && Date.now() - startedAtMs < FAILED_START_MS)
      void servePage(`Electron ended with code ${code}`);
    else process.exit(code ?? 0);
  });
};

if (!build()) process.exit(1);
process.chdir(root);
const why = obstacle();
if (why) await servePage(why);
else {
  const binary = electronBinary() ?? fetchElectron();
  if (binary) openWindow(binary);
  else await servePage("Electron's binary could not be fetched");
}
