// `npm start`: builds, then opens the window. Without Electron or a display, it says why and serves the page.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from './build.ts';
import { fetchElectron, findElectron, windowObstacle } from './electron.ts';
import { requireFreePort } from './require-free-port.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// A variable, so that nothing resolves the path before the build.
const HEADLESS = '../out/main/headless.js';
/** If Electron exits with an error this soon, it never opened a window. */
const FAILED_START_MS = 5000;

const servePage = async (why: string) => {
  console.log(`No window can open because ${why}. Open the address below in a browser instead.`);
  await import(HEADLESS);
};

const openWindow = (binary: string) => {
  const startedAtMs = Date.now();
  const child = spawn(binary, [root, ...process.argv.slice(2)], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass);
  process.on('SIGTERM', pass);
  child.on('exit', (code) => {
    process.off('SIGINT', pass);
    process.off('SIGTERM', pass);
    if (code && Date.now() - startedAtMs < FAILED_START_MS)
      void servePage(`Electron exited with code ${code}`);
    else process.exit(code ?? 0);
  });
};

process.chdir(root);
const why = windowObstacle();
// With a window, dot-mi asks for another port.
if (why) await requireFreePort(root);
if (!build()) process.exit(1);
if (why) await servePage(why);
else {
  const binary = findElectron() ?? fetchElectron();
  if (binary) openWindow(binary);
  else await servePage('Electron could not be downloaded');
}
