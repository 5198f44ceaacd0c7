import { spawnSync } from 'node:child_process';
import { lchown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';

/** Root may do everything. If root runs the tests, servers that must be refused something run as nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** The user to start a server as; undefined means our own. */
export const unprivilegedUser = isRoot ? NOBODY : undefined;

/** The reason why no server can be refused anything here, if any. */
export const noUnprivilegedUser = (): string | undefined => {
  if (process.platform === 'win32') return 'Windows has no modes';
  if (!isRoot) return undefined;
  const look = `require('node:fs').accessSync(${JSON.stringify(import.meta.filename)})`;
  const { status } = spawnSync(process.execPath, ['-e', look], {
    uid: NOBODY,
    cwd: tmpdir(),
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'the tests run as root, in a folder that only root may enter';
};

/** Root ignores file modes, so this process continues as nobody until the test ends. */
export const heedModes = (): void => {
  if (!isRoot) return;
  process.seteuid?.(NOBODY);
  onTestFinished(() => process.seteuid?.(0));
};

/** Gives paths to that user. */
export const giveToUnprivilegedUser = async (paths: Iterable<string>): Promise<void> => {
  if (!isRoot) return;
  for (const path of paths) await lchown(path, NOBODY, NOBODY);
};
