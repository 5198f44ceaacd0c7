const WINDOWS_PATH = /^([A-Za-z]:[\\/]|\\\\)/;

/** An agent that can be run. */
export interface RunnableAgent {
  /** Absolute path of its directory. */
  readonly path: string;
  /** The content of its pi-args file, or empty without one. */
  readonly piArgs: string;
}

/**
 * The arguments in a pi-args file, as the launchers of a root pass them. Empty lines and lines that start
 * with `#` are skipped. Spaces and tabs separate the arguments of a line. Quotes mean nothing, and no pattern
 * is expanded.
 */
export const piArgsIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(/[ \t]+/))
    .filter((token) => token !== '');

/** Quotes a text as one word of a POSIX shell. Plain text stays readable. */
const quotedPosix = (text: string): string =>
  /^[A-Za-z0-9_\-./:@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Quotes a text as one PowerShell argument. A bare comma would create an array. */
const quotedPowerShell = (text: string): string =>
  /^[A-Za-z0-9_\-./:]+$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;

/**
 * The run command of an agent, for PowerShell if its path is a Windows path.
 *
 * SECURITY: pi itself doesn't read pi-args. Without them, an agent that may only read would start with every
 * tool.
 */
export const runCommand = ({ path, piArgs }: RunnableAgent): string => {
  const args = piArgsIn(piArgs);
  return WINDOWS_PATH.test(path)
    ? [`$env:PI_CODING_AGENT_DIR='${path.replaceAll("'", "''")}'; pi`, ...args.map(quotedPowerShell)].join(
        ' ',
      )
    : [`PI_CODING_AGENT_DIR=${quotedPosix(path)} pi`, ...args.map(quotedPosix)].join(' ');
};
