// `npm start`: builds, then opens the window. Without Electron or a display, it says why and serves the page.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  HELP_LINE,
  RENEW_TOKEN_ARGUMENT,
  readCommandLine,
  SERVER_OPTION_LINES,
  SERVER_OPTIONS,
  TRUST_ROOT_ARGUMENT,
} from '../src/server/command-line.ts';
import { build, NO_BUILD } from './build.ts';
import { fetchElectron, findElectron, sandboxRemedy, windowObstacle } from './electron.ts';
import { exitIfWindowRuns, requireFreePort } from './require-free-port.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// A variable, so that nothing resolves the path before the build.
const HEADLESS = '../out/main/headless.cjs';
/** If Electron ends with an error this soon, it never opened a window. */
const FAILED_START_MS = 30_000;

const USAGE = `Builds dot-mi, then opens its window. Where no window can open, it serves the page for a browser.

Usage: npm start -- [arguments] [-- LINK]

${SERVER_OPTION_LINES}
  ${NO_BUILD}              use what is in out/ as it is
  --hidden                keep the window in the tray
  --user-data-dir=DIR     keep the window's data in DIR
  -- LINK                 receive a cashu: link
${HELP_LINE}

docs/settings.md lists the environment variables, such as PORT and DOT_MI_ROOT.
For switches of Electron itself, run: npx electron . SWITCH`;

const { values, positionals: links } = readCommandLine(
  USAGE,
  {
    ...SERVER_OPTIONS,
    'no-build': { type: 'boolean' },
    hidden: { type: 'boolean' },
    'user-data-dir': { type: 'string' },
  },
  { positionals: /^cashu:/i },
);
const serverArguments = [
  ...(values['trust-root'] ? [TRUST_ROOT_ARGUMENT] : []),
  ...(values['renew-operator-token'] ? [RENEW_TOKEN_ARGUMENT] : []),
];
const windowArguments = [
  ...serverArguments,
  ...(values.hidden ? ['--hidden'] : []),
  ...(values['user-data-dir'] === undefined ? [] : [`--user-data-dir=${values['user-data-dir']}`]),
  // SECURITY: after this, a link can't be a switch.
  ...(links.length > 0 ? ['--', ...links] : []),
];

const servePage = async (why: string) => {
  console.log(`No window can open because ${why}. Open the address below in a browser instead.`);
  // The server refuses arguments of the window.
  process.argv.splice(2, process.argv.length, ...serverArguments);
  await import(HEADLESS);
};

/** Shells report the end by a signal this way. */
const SIGNAL_EXIT_CODE = 128;

const openWindow = (binary: string) => {
  const startedAtMs = Date.now();
  const child = spawn(binary, [root, ...windowArguments], { stdio: 'inherit' });
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

const why = windowObstacle();
if (why) await requireFreePort(process.cwd());
else await exitIfWindowRuns();
if (!values['no-build'] && !build()) process.exit(1);
if (why) await servePage(why);
else {
  const binary = findElectron() ?? fetchElectron();
  if (binary) openWindow(binary);
  else await servePage('Electron could not be downloaded');
}
