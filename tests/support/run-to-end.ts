import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import { NO_OUTSIDE } from './no-outside.ts';
import { makeTempDirectory } from './temp.ts';

/**
 * Runs a script of Node in an empty folder until it ends. Returns its exit code, its output, and the names of
 * what it wrote there. PORT is no port, so that a server or window would say so instead of starting.
 */
export const runToEnd = async (path: string, ...args: readonly string[]) => {
  const cwd = await makeTempDirectory();
  const child = spawn(process.execPath, [path, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...NO_OUTSIDE, PORT: 'none' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err, written: await readdir(cwd) };
};
