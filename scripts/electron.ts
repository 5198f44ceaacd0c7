import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../node_modules/electron/', import.meta.url));
const DOWNLOAD_TIMEOUT_MS = 5 * 60 * 1000;

/** The path of Electron's binary, or undefined if it wasn't downloaded yet. Downloads nothing. */
export const findElectron = (): string | undefined => {
  const pathFile = join(directory, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const binary = join(directory, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(binary) ? binary : undefined;
};

/** Downloads Electron's binary from its release page. Returns its path, or undefined if that fails. */
export const fetchElectron = (): string | undefined => {
  console.log('Downloading Electron. This happens only once.');
  spawnSync(process.execPath, [join(directory, 'install.js')], {
    stdio: 'ignore',
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  return findElectron();
};

/** Why no window can open here, or undefined. */
export const windowObstacle = (): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'this machine has no display';
  if (process.getuid?.() === 0) return "Electron can't use its sandbox when it runs as root";
  return undefined;
};
