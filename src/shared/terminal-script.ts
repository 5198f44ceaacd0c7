import { PI_INSTALL_COMMAND, PI_NODE } from './run-command.ts';
import { quotedPosix, quotedPowerShell } from './shell-commands.ts';

/** An agent's run in a terminal window. */
export interface TerminalRun {
  /** The program that the command starts: pi's absolute path, or `pi` if dot-mi didn't find it. */
  readonly program: string;
  /** The run command, for this system's shell. */
  readonly command: string;
  /** The absolute path of the command's working directory. */
  readonly directory: string;
}

/** The script for a {@link TerminalRun}, and a directory that contains only the script. */
export interface ScriptPlace {
  readonly path: string;
  readonly directory: string;
}

const PI_MISSING = `pi is not installed, or is not on your PATH. With Node ${PI_NODE} or newer, install it with this command, then run the agent again:`;

/**
 * Returns the script for /bin/sh on Linux and macOS. A program started from a desktop may have a shorter PATH than a
 * terminal, so the script also looks for pi with the profile of the person's shell. Afterwards, the terminal stays
 * open with that shell.
 */
export const posixTerminalScript = (
  { program, command, directory }: TerminalRun,
  { path, directory: scriptDirectory }: ScriptPlace,
): string => `#!/bin/sh
if ! command -v ${quotedPosix(program)} >/dev/null 2>&1 && [ -z "\${DOT_MI_SCRIPT-}" ]; then
  case \${SHELL-} in
    */bash | */zsh | */fish)
      DOT_MI_SCRIPT=${quotedPosix(path)}
      export DOT_MI_SCRIPT
      exec "$SHELL" -l -i -c 'exec /bin/sh "$DOT_MI_SCRIPT"'
      ;;
  esac
fi
unset DOT_MI_SCRIPT
rm -rf ${quotedPosix(scriptDirectory)}
if cd ${quotedPosix(directory)}; then
  if command -v ${quotedPosix(program)} >/dev/null 2>&1; then
    ${command}
  else
    printf '%s\\n  %s\\n' ${quotedPosix(PI_MISSING)} ${quotedPosix(PI_INSTALL_COMMAND)}
  fi
fi
exec "\${SHELL:-/bin/sh}"
`;

/**
 * Returns the script for Windows PowerShell 5.1 and PowerShell 7, with the byte order mark that 5.1 needs to read
 * UTF-8. PowerShell reads the whole script before it runs it.
 */
export const powerShellTerminalScript = (
  { command, directory }: TerminalRun,
  { directory: scriptDirectory }: ScriptPlace,
): string => `\uFEFFRemove-Item -LiteralPath ${quotedPowerShell(scriptDirectory)} -Recurse -Force -ErrorAction Ignore
Set-Location -LiteralPath ${quotedPowerShell(directory)} -ErrorAction Stop
if (Get-Command pi -ErrorAction Ignore) {
  ${command}
} else {
  Write-Host ${quotedPowerShell(PI_MISSING)}
  Write-Host ${quotedPowerShell(`  ${PI_INSTALL_COMMAND}`)}
}
`;
