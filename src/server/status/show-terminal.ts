import { lstat } from 'node:fs/promises';
import type { ReportedTerminal, RunTerminal } from '../../shared/api/status.ts';
import { AppError } from '../platform/app-error.ts';
import { runProcess } from '../platform/run-process.ts';

/** How long a terminal has to respond. */
const TIMEOUT_MS = 5_000;

/** The programs in the apps of macOS, which aren't on the PATH. */
const MAC_PROGRAMS: Readonly<Record<string, string>> = {
  kitten: '/Applications/kitty.app/Contents/MacOS/kitten',
  wezterm: '/Applications/WezTerm.app/Contents/MacOS/wezterm',
};

/** macOS apps that AppleScript can ask for a tty, by `TERM_PROGRAM`. */
const MAC_APPS = { 'iTerm.app': 'iterm2', Apple_Terminal: 'terminal' } as const;

/** Brings the tab with this tty to the front. SECURITY: the tty is an argument, and never part of the script. */
const MAC_SCRIPTS = {
  iterm2: `on run {wanted}
if application id "com.googlecode.iterm2" is not running then return "none"
using terms from application "iTerm"
tell application id "com.googlecode.iterm2"
repeat with aWindow in windows
repeat with aTab in tabs of aWindow
repeat with aSession in sessions of aTab
if tty of aSession is wanted then
select aWindow
select aTab
select aSession
activate
return "shown"
end if
end repeat
end repeat
end repeat
end tell
end using terms from
return "none"
end run`,
  terminal: `on run {wanted}
if application id "com.apple.Terminal" is not running then return "none"
tell application id "com.apple.Terminal"
repeat with aWindow in windows
repeat with aTab in tabs of aWindow
if tty of aTab is wanted then
set selected of aTab to true
set index of aWindow to 1
activate
return "shown"
end if
end repeat
end repeat
end tell
return "none"
end run`,
} as const;

/** The parts of this computer that {@link createTerminals} needs. */
export interface TerminalsSystem {
  platform: NodeJS.Platform;
  hostName: string;
  /** Reads the PATH, without places where other users could plant a program. */
  readSearchPath(): Promise<string>;
  /** The environment of the programs, except for the PATH. */
  environment: Readonly<Record<string, string>>;
  /** The Windows directory. */
  systemRoot: string;
  findProgram(name: string, searchPath: string): Promise<string | undefined>;
}

/** Shows the terminals in which runs are. */
export interface Terminals {
  /** Returns what to tell the operator about a terminal. */
  view(terminal: ReportedTerminal): RunTerminal;
  /** Brings a terminal to the front. Throws `terminal_not_shown` if that fails. */
  show(terminal: ReportedTerminal): Promise<void>;
}

const notShown = (message: string): AppError => new AppError('terminal_not_shown', message);

const GONE = 'The terminal of this run isn’t there anymore.';

/** A pane's tty and session, as tmux prints them. */
const TMUX_PANE = /^(\/dev\/[\w./-]+) (\$\d+) (\d+)$/;
const TMUX_CLIENT = /^(\d+) (\/dev\/[\w./-]+)$/;

/**
 * Creates {@link Terminals}.
 *
 * SECURITY: a report says which pane to show, and any program that can report a status can name any pane. So it names
 * panes only in strict shapes. dot-mi chooses the program, finds it where no other user can plant one, passes each value
 * as one argument, and uses no shell. It only selects panes and never types or runs anything in them.
 */
export const createTerminals = (system: TerminalsSystem): Terminals => {
  const { platform, hostName, environment, systemRoot, readSearchPath, findProgram } = system;

  /** Runs a program and returns its output. Throws `terminal_not_shown` if it's missing or fails. */
  const ask = async (program: string, args: readonly string[], failure: string): Promise<string> => {
    const searchPath = await readSearchPath();
    const inApp = platform === 'darwin' ? MAC_PROGRAMS[program] : undefined;
    const file = (await findProgram(program, searchPath)) ?? inApp;
    if (file === undefined) throw notShown(`dot-mi can’t find ${program} on its PATH.`);
    const { exitCode, stdoutTail } = await runProcess({
      file,
      args,
      cwd: '/',
      env: { ...environment, PATH: searchPath },
      timeoutMs: TIMEOUT_MS,
      systemRoot,
    });
    if (exitCode !== 0) throw notShown(failure);
    return stdoutTail.trim();
  };

  const showMacTab = async (app: keyof typeof MAC_SCRIPTS, tty: string): Promise<boolean> =>
    (await ask('osascript', ['-e', MAC_SCRIPTS[app], tty], GONE)) === 'shown';

  const showTmux = async ({ tmux, tty }: ReportedTerminal): Promise<void> => {
    if (!tmux) return;
    const { socket, pane } = tmux;
    const tmuxAsk = (...args: string[]) => ask('tmux', ['-L', socket, ...args], GONE);
    const found = TMUX_PANE.exec(
      await tmuxAsk('display-message', '-p', '-t', pane, '#{pane_tty} #{session_id} #{session_attached}'),
    );
    const [, paneTty, session = '', attached] = found ?? [];
    // After tmux restarts, another program can have the pane's number.
    if (paneTty === undefined || (tty !== undefined && tty !== paneTty)) throw notShown(GONE);
    await tmuxAsk('select-window', '-t', pane, ';', 'select-pane', '-t', pane);
    const listed = await tmuxAsk(
      'list-clients',
      ...(attached === '0' ? [] : ['-t', session]),
      '-F',
      '#{client_activity} #{client_tty}',
    );
    const clients = listed.split('\n').flatMap((line) => {
      const [, active, client] = TMUX_CLIENT.exec(line) ?? [];
      return client === undefined ? [] : [{ client, activeAt: Number(active) }];
    });
    const [last] = clients.sort((a, b) => b.activeAt - a.activeAt);
    if (!last)
      throw notShown(
        `Its tmux session isn’t open in a terminal. Run: tmux ${socket === 'default' ? '' : `-L ${socket} `}attach`,
      );
    if (attached === '0') await tmuxAsk('switch-client', '-c', last.client, '-t', pane);
    if (platform !== 'darwin') return;
    // tmux doesn't know its terminal's app. The pane is selected even if neither has it.
    for (const app of ['iterm2', 'terminal'] as const)
      if (await showMacTab(app, last.client).catch(() => false)) return;
  };

  const showKitty = async ({ kitty }: ReportedTerminal): Promise<void> => {
    if (!kitty) return;
    const { socket, window } = kitty;
    const stats = await lstat(socket).catch(() => undefined);
    // SECURITY: another user's program must not learn when the operator is there.
    if (!stats?.isSocket() || stats.uid !== process.geteuid?.()) throw notShown(GONE);
    await ask('kitten', ['@', '--to', `unix:${socket}`, 'focus-window', '--match', `id:${window}`], GONE);
  };

  const showWezterm = async ({ wezterm }: ReportedTerminal): Promise<void> => {
    if (wezterm) await ask('wezterm', ['cli', 'activate-pane', '--pane-id', String(wezterm.pane)], GONE);
  };

  const view = ({ host, tmux, kitty, wezterm, program, tty }: ReportedTerminal): RunTerminal => {
    const app = MAC_APPS[program as keyof typeof MAC_APPS];
    const isHere = host === hostName;
    const place = tmux?.pane ?? tty ?? null;
    if (tmux) return { kind: 'tmux', place, canShow: isHere };
    if (kitty) return { kind: 'kitty', place, canShow: isHere };
    if (wezterm) return { kind: 'wezterm', place, canShow: isHere };
    const canShow = isHere && platform === 'darwin' && app !== undefined && tty !== undefined;
    return { kind: app ?? 'other', place, canShow };
  };

  return {
    view,
    async show(terminal) {
      const { kind, canShow } = view(terminal);
      if (!canShow) throw notShown('dot-mi can’t bring this terminal to the front.');
      if (kind === 'tmux') await showTmux(terminal);
      else if (kind === 'kitty') await showKitty(terminal);
      else if (kind === 'wezterm') await showWezterm(terminal);
      else if (kind !== 'other' && !(await showMacTab(kind, terminal.tty ?? ''))) throw notShown(GONE);
    },
  };
};
