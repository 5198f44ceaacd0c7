import { type AgentSummary, getRunCommand } from '../../../../shared/api/agents.ts';
import type { EditableFile } from '../../../../shared/api/names.ts';
import type { DesktopBridge } from '../../../../shared/desktop-bridge.ts';
import { isWindowsPath } from '../../../../shared/run-command.ts';
import { call } from '../../api/client.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { reportRun } from '../../shell/intents.ts';
import { tools as toolWords } from '../../strings/shell.ts';
import { copyText } from '../../ui/clipboard.ts';
import { reportFailure } from '../../ui/failures.tsx';
import { notify } from '../../ui/toast.tsx';

/** An agent and the absolute path of its directory. */
type Agent = Pick<AgentSummary, 'id' | 'path' | 'workspace'>;

/** Returns a success message with the run command's warnings. */
const withWarnings = (said: string, warnings: readonly string[]): string =>
  warnings.length === 0 ? said : [`${said}.`, ...warnings].join(' ');

/** Copies an agent's current run command, and shows its warnings. */
const copyRunCommand = async ({ id, path }: Agent): Promise<void> => {
  try {
    const { posix, powershell, warnings } = await call(getRunCommand, { params: { id } });
    const isCopied = await copyText(
      isWindowsPath(path) ? powershell : posix,
      withWarnings(
        toolWords.runCommandCopied,
        // The header already says that pi is missing.
        warnings.filter(({ code }) => code !== 'pi_missing').map(({ message }) => message),
      ),
    );
    if (isCopied) reportRun(id, 'copied');
  } catch (error) {
    reportFailure(toolWords.runCommandFailed, error);
  }
};

/** Runs an agent in the system's terminal, or copies its command if there is none. */
const runInTerminal = async (run: NonNullable<DesktopBridge['runInTerminal']>, id: string): Promise<void> => {
  try {
    const outcome = await run(id);
    if (outcome.kind === 'opened') {
      reportRun(id, 'opened');
      notify(withWarnings(toolWords.terminalOpened(id), outcome.warnings));
    }
    if (outcome.kind === 'no-terminal') {
      const isCopied = await copyText(outcome.command, withWarnings(toolWords.noTerminal, outcome.warnings));
      if (isCopied) reportRun(id, 'copied');
    }
  } catch (error) {
    reportFailure(toolWords.runFailed(id), error);
  }
};

/** An action outside this page, such as revealing an agent's directory or copying its path. */
export interface AgentTool {
  readonly id: 'run-in-terminal' | 'reveal' | 'open-in-editor' | 'copy-path' | 'copy-run-command';
  readonly label: string;
  readonly run: () => unknown;
}

/** Returns the tools available here. A browser can only copy. The window can also reveal and open files. */
export const agentTools = (agent: Agent, file: EditableFile | null): readonly AgentTool[] => {
  const bridge = desktopBridge();
  const attempt = (action: Promise<void> | undefined): void => {
    action?.catch((error: unknown) => reportFailure(toolWords.failed, error));
  };
  const run = bridge?.runInTerminal;
  return [
    ...(run
      ? [
          {
            id: 'run-in-terminal' as const,
            // Without a workspace, the desktop asks for a folder first.
            label: agent.workspace ? toolWords.runInTerminal : toolWords.chooseAndRun,
            run: () => runInTerminal(run, agent.id),
          },
        ]
      : []),
    ...(bridge?.reveal
      ? [
          {
            id: 'reveal' as const,
            label: toolWords.reveal,
            run: () => attempt(bridge.reveal?.({ agent: agent.id, ...(file ? { file } : {}) })),
          },
        ]
      : []),
    ...(bridge?.openInEditor && file
      ? [
          {
            id: 'open-in-editor' as const,
            label: toolWords.openInEditor(file),
            run: () => attempt(bridge.openInEditor?.({ agent: agent.id, file })),
          },
        ]
      : []),
    { id: 'copy-path', label: toolWords.copyPath, run: () => copyText(agent.path, toolWords.pathCopied) },
    {
      id: 'copy-run-command',
      label: toolWords.copyRunCommand,
      run: () => copyRunCommand(agent),
    },
  ];
};

/** Runs an agent in a terminal, or copies its run command where dot-mi can't open one. */
export const runAgent = (agent: Agent): void => {
  const tools = agentTools(agent, null);
  const idOf = (wanted: AgentTool['id']) => tools.find(({ id }) => id === wanted);
  (idOf('run-in-terminal') ?? idOf('copy-run-command'))?.run();
};
