// `npm start`: builds, then opens the window. Without Electron or a display, it says why and serves the page.
// `--no-build` uses what is in out/.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build, NO_BUILD } from './build.ts';
import { fetchElectron, findElectron, sandboxRemedy, windowObstacle } from './electron.ts';
import { exitIfWindowRuns, requireFreePort } from './require-free-port.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// A variable, so that nothing resolves the path before the build.
const HEADLESS = '../out/main/headless.cjs';
/** If Electron ends with an error this soon, it never opened a window. */
const FAILED_START_MS = 30_000;

const servePage = async (why: string) => {
  console.log(`No window can open because ${why}. Open the address below in a browser instead.`);
  await import(HEADLESS);
};

/** Shells report the end by a signal this way. */
const SIGNAL_EXIT_CODE = 128;

const openWindow = (binary: string, args: readonly string[]) => {
  const startedAtMs = Date.now();
  const child = spawn(binary, [root, ...args], { stdio: 'inherit' });
  let isStopped = false;
  const pass = (signal: NodeJS.Signals) => {
    isStopped = true;
    child.kill(signal);
  };
  process.on('SIGINT', pass);
  process.on('SIGTERM', pass);
  let isOver = false;
  const over = (how: string | undefined, exitCode: number, remedy?: string) => {
    if (isOver) return;
    isOver = true;
    process.off('SIGINT', pass);
    process.off('SIGTERM', pass);
    if (how === undefined || isStopped || Date.now() - startedAtMs >= FAILED_START_MS) process.exit(exitCode);
    if (remedy !== undefined) console.log(remedy);
    void servePage(how);
  };
  child.on('error', ({ message }) => over(`Electron didn't start (${message})`, 1));
  child.on('exit', (code, signal) => {
    if (signal === null) over(code ? `Electron exited with code ${code}` : undefined, code ?? 0);
    else
      over(
        `the signal ${signal} ended Electron`,
        SIGNAL_EXIT_CODE + constants.signals[signal],
        sandboxRemedy(binary),
      );
  });
};

process.chdir(root);
const isBuildSkipped = process.argv.includes(NO_BUILD);
const args = process.argv.slice(2).filter((argument) => argument !== NO_BUILD);
const why = windowObstacle();
if (why) await requireFreePort(root);
else await exitIfWindowRuns();
if (!isBuildSkipped && !build()) process.exit(1);
if (why) await servePage(why);
else {
  const binary = findElectron() ?? fetchElectron();
  if (binary) openWindow(binary, args);
  else await servePage('Electron could not be downloaded');
}
