import { win32 } from 'node:path';

/**
 * Returns a Windows program's full path. `systemRoot` is the Windows directory.
 *
 * SECURITY: Windows searches for a bare name in the current directory first, then on PATH. Another program found there
 * would run with our rights.
 */
export const windowsProgram = (systemRoot: string, name: string): string =>
  win32.join(systemRoot, 'System32', name);
