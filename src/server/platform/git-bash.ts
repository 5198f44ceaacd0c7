import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { win32 } from 'node:path';
import { promisify } from 'node:util';
import { windowsProgram } from './windows-program.ts';

const ASK_TIMEOUT_MS = 5_000;

/**
 * Registry keys where Git for Windows stores its path as `InstallPath`: for all users, for one user, and the 32-bit
 * version.
 */
const REGISTRY_QUERIES = [
  ['HKLM\\SOFTWARE\\GitForWindows', '/reg:64'],
  ['HKCU\\SOFTWARE\\GitForWindows', '/reg:64'],
  ['HKLM\\SOFTWARE\\GitForWindows', '/reg:32'],
] as const;

/** The parts of Windows that {@link findGitBash} needs. */
interface GitBashSystem {
  /** Runs a program and returns its output. `file` is absolute. Rejects if it fails. */
  run(file: string, args: readonly string[]): Promise<string>;
  exists(path: string): Promise<boolean>;
}

const windows: GitBashSystem = {
  run: async (file, args) =>
    (await promisify(execFile)(file, args, { timeout: ASK_TIMEOUT_MS, windowsHide: true })).stdout,
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
};

/**
 * Finds Git for Windows' bash in the registry. `systemRoot` is the Windows directory. Returns its full path, or
 * undefined if it isn't installed. A `bash` on PATH may be WSL's, which sees another file system.
 */
export const findGitBash = async (
  systemRoot: string,
  { run, exists }: GitBashSystem = windows,
): Promise<string | undefined> => {
  const reg = windowsProgram(systemRoot, 'reg.exe');
  for (const [key, view] of REGISTRY_QUERIES) {
    // The query fails if the key doesn't exist.
    const output = await run(reg, ['query', key, '/v', 'InstallPath', view]).catch(() => '');
    const folder = /^\s+InstallPath\s+REG_SZ\s+(.+?)\s*$/m.exec(output)?.[1];
    if (folder === undefined || !win32.isAbsolute(folder)) continue;
    // Unlike usr\bin\bash.exe, this one sets up the paths that scripts expect.
    const bash = win32.join(folder, 'bin', 'bash.exe');
    if (await exists(bash)) return bash;
  }
  return undefined;
};
