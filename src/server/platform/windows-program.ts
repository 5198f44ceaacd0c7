import { win32 } from 'node:path';

/**
 * A program of Windows by its whole path; `systemRoot` is the folder of Windows.
 *
 * SECURITY: a bare name is sought in the current folder first, and along PATH, where another program may lie that would
 * run with our rights.
 */
export const windowsProgram = (systemRoot: string, name: string): string =>
  win32.join(systemRoot, 'System32', name);
