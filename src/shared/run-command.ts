import { piArgsLines } from '../pi/pi-args.ts';
import { type BudgetCheck, budgetCheck } from './budget-check.ts';
import { KEY_VARIABLE, posixCommand, powerShellCommand, type Run } from './shell-commands.ts';

const WINDOWS_PATH = /^([A-Za-z]:[\\/]|\\\\)/;

/** The command that installs pi, from its README. */
export const PI_INSTALL_COMMAND = 'npm install -g --ignore-scripts @earendil-works/pi-coding-agent';

/** The first version of Node for which npm installs a current pi. With an older one, npm installs pi 0.74 without a warning. */
export const PI_NODE = '22.19';

/** Returns whether an absolute path is a Windows path. On Windows, commands are for PowerShell. */
export const isWindowsPath = (path: string): boolean => WINDOWS_PATH.test(path);

/** An agent to run. */
export interface RunnableAgent {
  /** The absolute path of its directory. */
  readonly path: string;
  /** The content of its pi-args file. Undefined if there is none. */
  readonly piArgs: string | undefined;
  /** The absolute path of pi. Undefined to let the shell that runs the command find pi. */
  readonly pi?: string | undefined;
  /** dot-mi's address, for its extensions and skills. Undefined while dot-mi doesn't listen. */
  readonly apiUrl?: string | undefined;
  /** Whether the agent has a key, which the person who runs it must set. */
  readonly hasKey?: boolean;
  /** How to check its budget. Undefined if it has none. */
  readonly budget?: BudgetCheck | undefined;
  /**
   * For an agent with a workspace: the absolute path of the directory for its workspaces, and the content of
   * its workspace.conf.
   */
  readonly workspace?: { readonly parent: string; readonly conf: string } | undefined;
}

/** A warning about a run, for the operator. */
interface RunWarning {
  readonly code: RunWarningCode;
  /** A sentence or two for people. */
  readonly message: string;
}

/** The codes of {@link RunWarning}. The first three come from the server. */
export const RUN_WARNING_CODES = [
  'pi_missing',
  'root_not_trusted',
  'budget_used',
  'pi_args_missing',
  'several_arguments',
  'file_pattern',
  'secret_argument',
  'control_character',
  'directory_ignored',
  'working_directory_unknown',
  'key_not_included',
] as const;

type RunWarningCode = (typeof RUN_WARNING_CODES)[number];

/** A run of an agent, as commands and as data. */
export interface RunCommand {
  /** The command for bash, dash, zsh and other POSIX shells. */
  readonly posix: string;
  /** The command for Windows PowerShell 5.1 and PowerShell 7. */
  readonly powershell: string;
  /** `pi` and its arguments. */
  readonly argv: string[];
  /** The environment variables to set for pi. */
  readonly env: Record<string, string>;
  /**
   * The workspace of a run that starts now, or the working directory of the resumed session. Null if the
   * agent runs in the current directory.
   */
  readonly cwd: string | null;
  /** The directories to create in the workspace, relative to it. */
  readonly directories: string[];
  readonly warnings: RunWarning[];
}

interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

const linesOf = (text: string): Line[] =>
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.replace(/\r$/, '') }));

/** Returns the arguments in a pi-args file, in the order in which `setup.sh run` passes them. */
export const piArgsIn = (text: string): string[] =>
  piArgsLines(text).flatMap(({ args }) => args.map((arg) => arg.text));

/** Returns whether a path in workspace.conf stays inside the workspace: relative, and without "..". */
export const isInsideWorkspace = (path: string): boolean =>
  !/^([A-Za-z]:|[\\/])/.test(path) && !path.split(/[\\/]/).includes('..');

const directoryLines = (conf: string): Line[] =>
  linesOf(conf)
    .map(({ number, text }) => ({ number, text: text.replace(/^[ \t]+|[ \t]+$/g, '') }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));

/**
 * Returns the directories in a workspace.conf file, one per line. Skips empty lines, lines that start with `#`, and
 * paths that leave the workspace: absolute paths and paths with `..`.
 */
export const directoriesIn = (conf: string): string[] =>
  directoryLines(conf)
    .map(({ text }) => text)
    .filter(isInsideWorkspace);

const piArgsWarnings = (piArgs: string | undefined): RunWarning[] => {
  if (piArgs === undefined)
    return [{ code: 'pi_args_missing', message: 'pi-args is missing, so pi starts with all its tools.' }];
  return piArgsLines(piArgs).flatMap(({ number, args }): RunWarning[] => {
    const tokens = args.map((arg) => arg.text);
    const warn = (code: RunWarningCode, message: string, applies: boolean): RunWarning[] =>
      applies ? [{ code, message: `Line ${number} of pi-args ${message}` }] : [];
    const text = tokens.join(' ');
    return [
      ...warn(
        'several_arguments',
        'contains several arguments. Put each on its own line, because some launchers pass a whole line as one argument.',
        tokens.length > 1,
      ),
      ...warn(
        'file_pattern',
        'contains *, ? or [. This command passes it unchanged, but some launchers replace it with file names.',
        /[*?[]/.test(text),
      ),
      ...warn(
        'secret_argument',
        'passes an API key, which other users of this computer can see. Log in with /login instead.',
        tokens.some((token) => /^--api-key(=|$)/.test(token)),
      ),
      ...warn(
        'control_character',
        'contains a control character. Remove it unless you put it there.',
        /\p{Cc}/u.test(text),
      ),
    ];
  });
};

const directoryWarnings = (conf: string): RunWarning[] =>
  directoryLines(conf)
    .filter(({ text }) => !isInsideWorkspace(text))
    .map(({ number }) => ({
      code: 'directory_ignored',
      message: `Line ${number} of workspace.conf is ignored. Write a path inside the workspace, without "..".`,
    }));

/** A run's variables. No command contains the key, because dot-mi doesn't store it (docs/adr/0044). pi inherits it. */
const environmentOf = ({
  path,
  apiUrl,
  hasKey = false,
  budget,
}: RunnableAgent): Pick<Run, 'env' | 'usesKey' | 'check'> & Pick<RunCommand, 'env'> => ({
  env: { PI_CODING_AGENT_DIR: path, ...(apiUrl === undefined ? {} : { DOT_MI_URL: apiUrl }) },
  usesKey: hasKey,
  check: budget && budgetCheck(budget),
});

const keyWarnings = ({ hasKey }: RunnableAgent): RunWarning[] =>
  hasKey
    ? [
        {
          code: 'key_not_included',
          message: `This agent has a key, but dot-mi doesn’t keep a copy of it. Before you run the command, set the environment variable ${KEY_VARIABLE} to the key.`,
        },
      ]
    : [];

/** Returns a workspace's name: local date and time, such as `2026-11-22_14-03-05`. It's valid on every system. */
export const workspaceName = (at: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())];
  return `${date.join('-')}_${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join('-')}`;
};

/**
 * Returns an agent's run command. `now` is the time in the name of `cwd`. The commands use the time when they run.
 *
 * SECURITY: pi itself doesn't read pi-args. Without these arguments, an agent that can only read would start with all
 * tools. Text from a file can't end its quotes, or act as a key press when somebody pastes the command.
 */
export const runCommand = (agent: RunnableAgent, now: Date): RunCommand => {
  const { path, pi = 'pi', piArgs, workspace } = agent;
  const directories = workspace ? directoriesIn(workspace.conf) : [];
  // As in dot-mi's launchers. Precedes pi-args, so that pi-args can choose another directory.
  const sessionDir = directories.includes('sessions') ? ['--session-dir', 'sessions'] : [];
  const run = {
    argv: [pi, ...sessionDir, ...piArgsIn(piArgs ?? '')],
    ...environmentOf(agent),
    workspaceParent: workspace?.parent ?? null,
    directories,
  } satisfies Run;
  const separator = isWindowsPath(path) ? '\\' : '/';
  return {
    posix: posixCommand(run),
    powershell: powerShellCommand(run),
    argv: run.argv,
    env: run.env,
    cwd: workspace ? `${workspace.parent}${separator}${workspaceName(now)}` : null,
    directories,
    warnings: [...piArgsWarnings(piArgs), ...directoryWarnings(workspace?.conf ?? ''), ...keyWarnings(agent)],
  };
};

/** A session to resume. */
export interface ResumableSession {
  /** The absolute path of the session's file. */
  readonly path: string;
  /** The absolute path of its working directory. Undefined if the session doesn't name one. */
  readonly cwd: string | undefined;
}

/**
 * Returns the command that resumes a session in its working directory. SECURITY: anyone can write a session file, so
 * its text is quoted like pi-args.
 */
export const resumeCommand = (
  agent: Omit<RunnableAgent, 'workspace'>,
  session: ResumableSession,
): RunCommand => {
  const { piArgs } = agent;
  const run = {
    argv: ['pi', ...piArgsIn(piArgs ?? ''), '--session', session.path],
    ...environmentOf(agent),
    workspaceParent: null,
    directories: [],
    cwd: session.cwd,
  } satisfies Run;
  const unknown: RunWarning[] =
    session.cwd === undefined
      ? [
          {
            code: 'working_directory_unknown',
            message:
              'The session doesn’t name its working directory. Run the command in the right directory.',
          },
        ]
      : [];
  return {
    posix: posixCommand(run),
    powershell: powerShellCommand(run),
    argv: run.argv,
    env: run.env,
    cwd: session.cwd ?? null,
    directories: [],
    warnings: [...piArgsWarnings(piArgs), ...unknown, ...keyWarnings(agent)],
  };
};
