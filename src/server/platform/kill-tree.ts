import { spawn } from 'node:child_process';
import { windowsProgram } from './windows-program.ts';

/** The system around the program, as far as processes are ended there. */
export interface ProcessSystem {
  platform: NodeJS.Platform;
  /** The folder of Windows. */
  systemRoot: string;
  /** Starts a program and waits for nothing. */
  start(file: string, args: readonly string[]): void;
}

/** Starts a program whose end nobody waits for; that it cannot be started is fine. */
export const startAndForget: ProcessSystem['start'] = (file, args) => {
  spawn(file, args, { stdio: 'ignore', windowsHide: true }).on('error', () => undefined);
};

/** Ends a process and all it started; a group that is gone already is fine. */
export const killTree = (pid: number, { platform, systemRoot, start }: ProcessSystem): void => {
  if (platform === 'win32') {
    start(windowsProgram(systemRoot, 'taskkill.exe'), ['/pid', String(pid), '/t', '/f']);
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: nothing of the group is left.
  }
};
