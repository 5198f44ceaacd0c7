import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The flag that makes a script use what is in out/ instead of building first. */
export const NO_BUILD = '--no-build';

const INPUTS = ['src', 'electron.vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json'];
const OUTPUTS = ['out/main/headless.js', 'out/main/index.js', 'out/preload', 'out/renderer/index.html'];
/** The stamp of the last build. It isn't in out/, because all of out/ is packed. */
const STAMP = join(root, 'node_modules/.cache/dot-mi-build');

const filesIn = (path: string): string[] =>
  lstatSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];

/** Changes with each input's name, size and time. */
const stampOf = (): string => {
  const hash = createHash('sha256');
  for (const path of INPUTS.flatMap((input) => filesIn(join(root, input))).sort()) {
    const { size, mtimeMs } = lstatSync(path);
    hash.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

const isBuilt = (stamp: string): boolean =>
  OUTPUTS.every((output) => existsSync(join(root, output))) &&
  existsSync(STAMP) &&
  readFileSync(STAMP, 'utf8') === stamp;

/** Builds main, preload and page into out/, unless nothing changed since. Returns whether it worked. */
export const build = (): boolean => {
  const stamp = stampOf();
  if (isBuilt(stamp)) return true;
  console.log('Building dot-mi. This takes about ten seconds.');
  const cli = fileURLToPath(new URL('../node_modules/electron-vite/bin/electron-vite.js', import.meta.url));
  const result = spawnSync(process.execPath, [cli, 'build', '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (result.status === 0) {
    mkdirSync(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, stamp);
    return true;
  }
  process.stderr.write(`${result.stdout}${result.stderr}`);
  return false;
};
