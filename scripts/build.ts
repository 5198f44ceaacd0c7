import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Tells a script that builds first to take what is in out/ instead. */
export const NO_BUILD = '--no-build';

/** Builds main, preload and page into out/. Quiet unless it fails. Returns whether it worked. */
export const build = (): boolean => {
  const cli = fileURLToPath(new URL('../node_modules/electron-vite/bin/electron-vite.js', import.meta.url));
  const result = spawnSync(process.execPath, [cli, 'build', '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (result.status === 0) return true;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  return false;
};
