import { dirname } from 'node:path';
import { AppError } from '../platform/app-error.ts';
import { openDirectory, withDirectory } from '../platform/directory-handle.ts';
import { findGitBash } from '../platform/git-bash.ts';
import type { Root } from '../platform/root.ts';
import { type ProcessEnd, type ProcessToRun, runProcess } from '../platform/run-process.ts';

const STDERR_LINES = 20;

/** The options for {@link createSetupScript}. */
export interface SetupScriptOptions {
  /**
   * Returns the root's setup script if it's trusted. Throws `setup_script_missing`, `root_not_trusted` and
   * `setup_script_failed`.
   */
  requireTrusted(): Promise<{ name: string; path: string }>;
  /** The script's environment: the variables it needs to find programs, without our secrets. */
  environment: Readonly<Record<string, string>>;
  /** Reads the script's PATH. Never rejects. */
  readSearchPath(): Promise<string>;
  timeoutMs: number;
  /** The Windows directory. */
  systemRoot: string;
  /** Stops the script when the server stops. */
  signal: AbortSignal;
}

/** Runs the root's own setup script. */
export interface SetupScript {
  /** Throws `setup_script_missing`, `root_not_trusted`, `setup_script_failed` and `setup_script_timeout`. */
  createAgent(name: string, workspace: boolean): Promise<void>;
}

/** Determines how to start a script on this system. Throws `setup_script_failed`. */
const findStarter = async (
  systemRoot: string,
): Promise<(script: string, args: readonly string[]) => Pick<ProcessToRun, 'file' | 'args'>> => {
  if (process.platform !== 'win32') return (script, args) => ({ file: script, args });
  // Windows ignores a script's shebang line.
  const bash = await findGitBash(systemRoot);
  if (bash === undefined)
    throw new AppError(
      'setup_script_failed',
      'The setup script needs bash, which comes with Git for Windows. Install it from https://gitforwindows.org, then try again.',
      { exitCode: null, stderr: '' },
    );
  return (script, args) => ({ file: bash, args: [script, ...args] });
};

/** Returns the last lines of a script's output. Absolute paths become relative to the root or are cut. */
const tailForCaller = (output: string, rootPaths: readonly string[]): string =>
  rootPaths
    .reduce(
      (text, path) => text.replaceAll(`${path}/`, '').replaceAll(path, '.'),
      output.trimEnd().split('\n').slice(-STDERR_LINES).join('\n'),
    )
    .replaceAll(/(?<![\w.~/-])(?:~|[A-Za-z]:[\\/]|\/)[^\s:'"`)]*[\\/]([^\s:'"`)\\/]*)/g, '…/$1');

const startProblem = (script: string, code: string) => {
  if (code === 'EACCES') return `${script} is not executable. Run "chmod +x ${script}" in the root.`;
  if (code === 'ENOENT')
    return `${script} could not be started because the interpreter in its first line is not installed. Install it, or change that line.`;
  return `${script} could not be started (${code}). Check the script.`;
};

const checkResult = (script: string, rootPaths: readonly string[], result: ProcessEnd, timeoutMs: number) => {
  // Some scripts, such as dot-mi's own, write their errors to standard output.
  const output = result.stderrTail.trim() === '' ? result.stdoutTail : result.stderrTail;
  const details = { exitCode: result.exitCode, stderr: tailForCaller(output, rootPaths) };
  if (result.startError) {
    throw new AppError('setup_script_failed', startProblem(script, result.startError), details);
  }
  if (result.stoppedBy) {
    const why =
      result.stoppedBy === 'timeout'
        ? `didn’t finish within ${timeoutMs / 1000} s and was stopped. Check what it is waiting for.`
        : 'was stopped because dot-mi is closing. Start dot-mi and try again.';
    throw new AppError('setup_script_timeout', `${script} ${why}`, details);
  }
  if (result.exitCode !== 0) {
    throw new AppError(
      'setup_script_failed',
      `${script} failed with exit code ${result.exitCode}. See the last lines of its output.`,
      details,
    );
  }
};

/** Creates a root's {@link SetupScript}. */
export const createSetupScript = (
  root: Root,
  { requireTrusted, environment, readSearchPath, timeoutMs, systemRoot, signal }: SetupScriptOptions,
): SetupScript => ({
  async createAgent(name, workspace) {
    const [toCommand, searchPath] = await Promise.all([findStarter(systemRoot), readSearchPath()]);
    // SECURITY: keep this check next to the start, so there's little time to swap the script.
    const { name: script, path } = await requireTrusted();
    const realRoot = dirname(path);
    // SECURITY: another user could swap a directory of the path for a link.
    const result = await withDirectory(openDirectory(realRoot), (opened) =>
      runProcess({
        ...toCommand(path, ['create-agent', ...(workspace ? ['--workspace'] : []), name]),
        cwd: opened.workingDirectory(),
        env: { ...environment, PATH: searchPath, DOT_MI_ROOT: root.path, DOT_PI_ROOT: root.path },
        timeoutMs,
        systemRoot,
        signal,
      }),
    );
    checkResult(script, [realRoot, root.path], result, timeoutMs);
  },
});
