import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_OUTSIDE } from './no-outside.ts';

/**
 * Environment variables that let a process reuse the compiled code of earlier ones. That saves half of the
 * processor time of a server's start. Killed processes leave no compiled code, so {@link compile} runs first.
 */
export const COMPILE_CACHE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled-for-tests', import.meta.url)),
};

const environment = { PATH: process.env.PATH, ...NO_OUTSIDE, ...COMPILE_CACHE };

/** Compiles a server: starts it, and ends it as a person would. */
export const compile = async (program: string): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'dot-mi-compile-'));
  const child = spawn(process.execPath, [program], {
    cwd: directory,
    env: { ...environment, HOME: directory, PORT: '0', DEV_MODE: 'true' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.once('data', () => child.kill('SIGTERM'));
  await once(child, 'exit');
  await rm(directory, { recursive: true, force: true });
};

/** Playwright's setup: compiles the built server. */
export default (): Promise<void> =>
  compile(fileURLToPath(new URL('../../out/main/headless.cjs', import.meta.url)));
