const WINDOWS_PATH = /^([A-Za-z]:[\\/]|\\\\)/;

/** What running an agent takes. */
export interface RunnableAgent {
  /** Absolute path of its directory. */
  readonly path: string;
  /** What its file pi-args holds; empty without one. */
  readonly piArgs: string;
}

/**
 * The arguments in a file pi-args, as the launchers of a root pass them: a line that is empty or starts with `#` is
 * skipped, and spaces separate the tokens of a line. Quotes mean nothing, and no pattern is expanded.
 */
export const piArgsIn = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(/[ \t]+/))
    .filter((token) => token !== '');

/** A text as one word of a POSIX shell. Plain ones stay readable. */
const quotedPosix = (text: string): string =>
  /^[A-Za-z0-9_\-./:@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A text as one argument in PowerShell. A bare comma would make an array of it. */
const quotedPowerShell = (text: string): string =>
  /^[A-Za-z0-9_\-./:]+$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;

/**
 * What to type in a terminal to run an agent; for PowerShell where its path is one of Windows.
 *
 * SECURITY: pi itself doesn't read pi-args. Without them an agent that may only read would start with every tool.
 */
export const runCommand = ({ path, piArgs }: RunnableAgent): string => {
  const args = piArgsIn(piArgs);
  return WINDOWS_PATH.test(path)
    ? [`$env:PI_CODING_AGENT_DIR='${path.replaceAll("'", "''")}'; pi`, ...args.map(quotedPowerShell)].join(
        ' ',
      )
    : [`PI_CODING_AGENT_DIR=${quotedPosix(path)} pi`, ...args.map(quotedPosix)].join(' ');
};
