import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The flag that makes a script use what is in out/ instead of building first. */
export const NO_BUILD = '--no-build';

const filesIn = (path: string): string[] =>
  lstatSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];

/** Changes with each input's name, size and time. */
const stampOf = (inputs: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap((input) => filesIn(resolve(root, input))).sort()) {
    const { size, mtimeMs } = lstatSync(path);
    hash.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

/** Something that is built from files. Paths are absolute or relative to the repository. */
export interface Built {
  inputs: readonly string[];
  outputs: readonly string[];
  /** The name of the stamp of its last build. Stamps aren't in out/, because most of out/ is packed. */
  stamp: string;
}

/** Calls `make` unless nothing changed since it last returned true. Returns whether the outputs are there. */
export const buildOnce = ({ inputs, outputs, stamp: name }: Built, make: () => boolean): boolean => {
  const stampFile = join(root, 'node_modules/.cache', name);
  const stamp = stampOf(inputs);
  const isThere = outputs.every((output) => existsSync(resolve(root, output)));
  if (isThere && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  if (!make()) return false;
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
  return true;
};

/** Runs a builder from node_modules, which prints only warnings and errors. Returns whether it worked. */
export const runBuilder = (script: string, args: readonly string[]): boolean => {
  const path = join(root, 'node_modules', script);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args, '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) process.stderr.write(`${stdout}${stderr}`);
  return status === 0;
};

const PROGRAM: Built = {
  inputs: [
    'src',
    'electron.vite.config.ts',
    'scripts/bundle-workers.ts',
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ],
  outputs: [
    'out/main/headless.cjs',
    'out/main/server.cjs',
    'out/main/index.cjs',
    'out/preload',
    'out/renderer/index.html',
  ],
  stamp: 'dot-mi-build',
};

/** Builds main, preload and page into out/, unless nothing changed since. Returns whether it worked. */
export const build = (): boolean =>
  buildOnce(PROGRAM, () => {
    console.log('Building dot-mi. This takes about ten seconds.');
    return runBuilder('electron-vite/bin/electron-vite.js', ['build']);
  });
