import { userInfo } from 'node:os';
import { runProcess } from '../server/platform/run-process.ts';

/** Profiles can be slow, for example if they start a version manager. */
const TIMEOUT_MS = 10_000;

/** Printed before and after the PATH, because profiles print greetings. */
const MARKER = 'dot-mi-login-path';
// Full paths work in every shell, even if the profile redefines commands.
const SCRIPT = [`/bin/echo ${MARKER}`, '/usr/bin/printenv PATH', `/bin/echo ${MARKER}`].join('\n');

/** The PATH with which launchd starts programs. */
const LAUNCHD_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** The shell to run, as a full path, and its environment. */
interface LoginShell {
  shell: string;
  environment: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

const ofThisUser = (): LoginShell => {
  const { shell, homedir, username } = userInfo();
  const known = shell || '/bin/zsh';
  return {
    shell: known,
    environment: { HOME: homedir, USER: username, LOGNAME: username, SHELL: known, PATH: LAUNCHD_PATH },
  };
};

/**
 * Reads the PATH of the user's terminal by starting their login shell. Returns undefined if the shell fails or takes
 * too long. Never rejects.
 */
export const readLoginPath = async (
  { shell, environment, timeoutMs = TIMEOUT_MS }: LoginShell = ofThisUser(),
): Promise<string | undefined> => {
  const { stdoutTail } = await runProcess({
    file: shell,
    // Interactive too, because many people set PATH in .zshrc or .bashrc.
    args: ['-i', '-l', '-c', SCRIPT],
    cwd: '/',
    // Oh My Zsh would ask whether to update, and nobody could respond.
    env: { ...environment, DISABLE_AUTO_UPDATE: 'true' },
    timeoutMs,
    systemRoot: '',
  });
  const [, path] = new RegExp(`^${MARKER}\\n(/[^\\n]*)\\n${MARKER}$`, 'm').exec(stdoutTail) ?? [];
  return path;
};

/**
 * Creates a reader of the login shell's PATH, for programs started by the Finder or the Dock: launchd gives them a
 * PATH without Homebrew or anything else that a person installed. Returns undefined if this isn't macOS.
 */
export const createPathReader = (
  platform: NodeJS.Platform = process.platform,
  read: () => Promise<string | undefined> = readLoginPath,
): (() => Promise<string | undefined>) | undefined => {
  if (platform !== 'darwin') return undefined;
  // Read now, because a profile can take seconds. A restarted server uses the same result.
  const path = read();
  return () => path;
};
