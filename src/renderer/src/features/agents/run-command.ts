const WINDOWS_PATH = /^([A-Za-z]:[\\/]|\\\\)/;

/** A text as one word of a POSIX shell. Plain ones stay readable. */
const quotedPosix = (text: string): string =>
  /^[A-Za-z0-9_\-./:@%+,]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** What to type in a terminal to run an agent; for PowerShell where its path is one of Windows. */
export const runCommand = (agentPath: string): string =>
  WINDOWS_PATH.test(agentPath)
    ? `$env:PI_CODING_AGENT_DIR='${agentPath.replaceAll("'", "''")}'; pi`
    : `PI_CODING_AGENT_DIR=${quotedPosix(agentPath)} pi`;
