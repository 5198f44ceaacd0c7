import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTempDirectory } from './temp.ts';

/** A root on a disk that can become slow, for a server in its own process. */
export interface SlowDisk {
  /** For the server's process. */
  environment: Readonly<Record<string, string>>;
  /** From now on each call below the root takes 300 ms on the main thread, and lasts until `recover` on another one. */
  slow(): Promise<void>;
  recover(): Promise<void>;
  /** The slow calls so far, such as `stat` and the path of `agents`. */
  calls(where: 'main' | 'threads'): Promise<string[]>;
}

const SOURCE = fileURLToPath(new URL('./slow-disk.c', import.meta.url));

/** The reason why a disk can't be slow here, if any. */
export const noSlowDisk = (): string | undefined => {
  if (process.platform !== 'linux') return 'only Linux puts a library before the one of the system';
  return spawnSync('cc', ['--version']).error ? 'there is no C compiler' : undefined;
};

/** Creates a {@link SlowDisk}. It is quick at first. */
export const makeSlowDisk = async (root: string): Promise<SlowDisk> => {
  const directory = await makeTempDirectory();
  const library = join(directory, 'slow-disk.so');
  // Some systems replace `read` and `open` with checks of their own when they compile.
  const args = ['-shared', '-fPIC', '-U_FORTIFY_SOURCE', '-Wall', '-o', library, SOURCE, '-ldl'];
  const { status, stderr } = spawnSync('cc', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`slow-disk.c could not be compiled: ${stderr}`);
  const control = join(directory, 'control');
  await mkdir(control);
  return {
    environment: { LD_PRELOAD: library, SLOW_ROOT: root, SLOW_CONTROL: control },
    slow: () => writeFile(join(control, 'slow'), ''),
    recover: () => rm(join(control, 'slow')),
    async calls(where) {
      const text = await readFile(join(control, where), 'utf8').catch(() => '');
      return text.split('\n').slice(0, -1);
    },
  };
};
