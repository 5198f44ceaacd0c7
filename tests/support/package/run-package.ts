import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from '../../../scripts/build.ts';
import { NO_OUTSIDE } from '../no-outside.ts';

/** The update feed of the Linux and macOS packages. The Windows packages have none. */
export const UPDATE_FEED_URL = 'https://updates.example/dot-mi';
export const PROJECT_URL = 'https://project.example/dot-mi';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Stops npm from looking for a newer version and from leaving a log. */
const QUIET_NPM = { npm_config_update_notifier: 'false', npm_config_logs_max: '0' };

/** Runs `npm run package` on the existing build. It ends if it tries to reach another machine. */
export const runPackage = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const child = spawn('npm', ['run', 'package', '--', '--no-build', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: tmpdir(), ...QUIET_NPM, ...NO_OUTSIDE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, status] = await Promise.all([
    Promise.all([readText(child.stdout), readText(child.stderr)]),
    once(child, 'exit').then(([code]) => code),
  ]);
  if (status !== 0) throw new Error(`npm run package -- ${args.join(' ')}\n${output.join('')}`);
};

/** Whether a command is there. `flag` makes it print something and end. */
export const has = (command: string, flag: string): boolean => spawnSync(command, [flag]).error === undefined;

/** Packs into a new directory. Returns what was packed, and a function that removes the directory. */
export const packInto = async <T>(
  pack: (directory: string) => Promise<T>,
): Promise<[T, () => Promise<void>]> => {
  if (!existsSync(join(root, 'out', 'third-party')) && !build()) throw new Error('The build failed.');
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-packages-')));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    return [await pack(directory), remove];
  } catch (error) {
    await remove();
    throw error;
  }
};
