import type { BaseWindow } from 'electron';
import type { RunningServer } from '../server/start.ts';
import type { TerminalOutcome } from '../shared/desktop-bridge.ts';
import { isWindowsPath } from '../shared/run-command.ts';
import type { TerminalRun } from '../shared/terminal-script.ts';

interface AgentRunnerDeps {
  server(): Pick<RunningServer, 'rootPath' | 'rootTrust' | 'terminalCommand'>;
  /** Lets a person choose the folder in which an agent works. Null if they cancel. */
  chooseFolder(window: BaseWindow, defaultPath: string, agent: string): Promise<string | null>;
  openTerminal(run: TerminalRun): Promise<boolean>;
  homeDirectory: string;
}

/** Runs an agent in a terminal. Throws a readable error if it can't be run. */
export type AgentRunner = (agent: string, window: BaseWindow) => Promise<TerminalOutcome>;

/** Creates an {@link AgentRunner}, which remembers each agent's last folder while the app runs. */
export const createAgentRunner = (deps: AgentRunnerDeps): AgentRunner => {
  const lastFolders = new Map<string, string>();
  return async (agent, window) => {
    const server = deps.server();
    const { trusted } = await server.rootTrust.read();
    // SECURITY: the files of an untrusted root are shown and never run.
    if (!trusted)
      throw new Error(
        'This root isn’t trusted yet. Read the agent’s files, then trust the root in Settings.',
      );
    const { argv, posix, powershell, cwd, warnings } = await server.terminalCommand(agent);
    // Skip `pi_missing`: the terminal reports a missing pi itself, based on its own PATH.
    const messages = warnings.filter(({ code }) => code !== 'pi_missing').map(({ message }) => message);
    const folder = lastFolders.get(agent) ?? deps.homeDirectory;
    // If the agent uses workspaces, the run command creates a new workspace.
    const directory = cwd === null ? await deps.chooseFolder(window, folder, agent) : server.rootPath;
    if (directory === null) return { kind: 'cancelled' };
    if (cwd === null) lastFolders.set(agent, directory);
    const command = isWindowsPath(server.rootPath) ? powershell : posix;
    const isOpen = await deps.openTerminal({ program: argv[0] ?? 'pi', command, directory });
    return isOpen
      ? { kind: 'opened', warnings: messages }
      : { kind: 'no-terminal', command, warnings: messages };
  };
};
