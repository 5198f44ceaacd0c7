import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../node_modules/electron/', import.meta.url));
const DOWNLOAD_TIMEOUT_MS = 5 * 60 * 1000;
/** The rest of a download's output is an object dump. */
const REASON_LINES = 3;

/**
 * The path of Electron's binary, or undefined if it wasn't downloaded yet. Downloads nothing. Electron's own
 * variable ELECTRON_OVERRIDE_DIST_PATH names another folder with a binary.
 */
export const findElectron = (): string | undefined => {
  const pathFile = join(directory, 'path.txt');
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) {
    const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : 'electron';
    return existsSync(join(override, name)) ? join(override, name) : undefined;
  }
  if (!existsSync(pathFile)) return undefined;
  const binary = join(directory, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : undefined;
};

/** The lines of a failed download that say why, without the stack. */
const reasonIn = (output: string): string =>
  output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
    .slice(0, REASON_LINES)
    .join('\n');

/**
 * Downloads Electron's binary from its release page. Returns its path, or prints why that failed and returns
 * undefined.
 */
export const fetchElectron = (): string | undefined => {
  console.log('Downloading Electron. This happens only once.');
  const { status, error, stdout, stderr } = spawnSync(process.execPath, [join(directory, 'install.js')], {
    encoding: 'utf8',
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  const binary = findElectron();
  if (status !== 0 || !binary) {
    console.error(`Downloading Electron failed: ${error?.message ?? reasonIn(`${stderr}${stdout}`)}`);
    console.error(
      'Check your internet connection and try again. If you use a mirror, set ELECTRON_MIRROR to its address.',
    );
  }
  return binary;
};

/** Why no window can open here, or undefined. */
export const windowObstacle = (): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'this computer has no display';
  if (process.getuid?.() === 0) return "Electron can't use its sandbox when it runs as root";
  return undefined;
};

/** Ubuntu 23.10 and later set this to 1. Their AppArmor then refuses Chromium's sandbox to programs it doesn't know. */
const RESTRICTION_FILE = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

const isRestricted = (): boolean => {
  try {
    return readFileSync(RESTRICTION_FILE, 'utf8').trim() === '1';
  } catch {
    // No AppArmor, or an older one.
    return false;
  }
};

/** How to let Electron open its window after a signal ended it at once, as lines for a terminal. */
export const sandboxRemedy = (binary: string, restricted: boolean = isRestricted()): string => {
  if (process.platform !== 'linux') return 'Run the start with ELECTRON_ENABLE_LOGGING=1 to see why.';
  const helper = join(dirname(binary), 'chrome-sandbox');
  const cause = restricted
    ? 'AppArmor keeps Electron from using its sandbox here, as on Ubuntu 23.10 and later.'
    : 'This system may keep Electron from using its sandbox.';
  return `${cause} Allow it with these two commands, then run npm start again:
  sudo chown root:root '${helper}'
  sudo chmod 4755 '${helper}'
You can also install the .deb package, which brings an AppArmor profile.`;
};
