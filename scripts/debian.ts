import { spawnSync } from 'node:child_process';

const TIMEOUT_MS = 3 * 60 * 1000;

const run = (args: readonly string[]) =>
  spawnSync('apt-get', args, { stdio: 'ignore', timeout: TIMEOUT_MS }).status === 0;

/** Installs Debian packages if this process may use apt-get. Returns whether it worked. */
export const installDebianPackages = (...names: readonly string[]): boolean => {
  run(['update']);
  return run(['install', '-y', '--no-install-recommends', ...names]);
};
