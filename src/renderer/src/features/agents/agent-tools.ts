import type { QueryClient } from '@tanstack/react-query';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { runCommand } from '../../../../shared/run-command.ts';
import { ApiError } from '../../api/client.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { fileQuery } from '../../api/queries.ts';
import { strings } from '../../strings.ts';
import { writeClipboard } from '../../ui/clipboard.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';

/** Copies a text, then shows `said` or that the browser refused. */
const copyText = (text: string, said: string): void => {
  void writeClipboard(text).then((isCopied) => notify(isCopied ? said : strings.common.copyFailed));
};

/** The run command of an agent, with the pi-args that are on disk now. Rejects when they can't be read. */
const readRunCommand = async (
  client: QueryClient,
  { id, path }: { readonly id: string; readonly path: string },
): Promise<string> => {
  try {
    const { content } = await client.fetchQuery({ ...fileQuery(id, 'pi-args'), staleTime: 0 });
    return runCommand({ path, piArgs: content });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'file_not_found') return runCommand({ path, piArgs: '' });
    throw error;
  }
};

/** An action on an agent outside this page. */
export interface AgentTool {
  readonly id: 'reveal' | 'open-in-editor' | 'copy-path' | 'copy-run-command';
  readonly label: string;
  readonly run: () => unknown;
}

/** The tools available here. A browser can only copy. The window can also reveal and open files. */
export const agentTools = (
  client: QueryClient,
  agent: { readonly id: string; readonly path: string },
  file: EditableFile | null,
  isRootTrusted: boolean,
): readonly AgentTool[] => {
  const words = strings.tools;
  const bridge = desktopBridge();
  const attempt = (action: Promise<void> | undefined): void => {
    action?.catch((error: unknown) => notifyFailure(words.failed, error));
  };
  return [
    ...(bridge?.reveal
      ? [
          {
            id: 'reveal' as const,
            label: words.reveal,
            run: () => attempt(bridge.reveal?.({ agent: agent.id, ...(file ? { file } : {}) })),
          },
        ]
      : []),
    ...(bridge?.openInEditor && file
      ? [
          {
            id: 'open-in-editor' as const,
            label: words.openInEditor(file),
            run: () => attempt(bridge.openInEditor?.({ agent: agent.id, file })),
          },
        ]
      : []),
    { id: 'copy-path', label: words.copyPath, run: () => copyText(agent.path, words.pathCopied) },
    {
      id: 'copy-run-command',
      label: words.copyRunCommand,
      run: () =>
        readRunCommand(client, agent).then(
          (command) =>
            copyText(command, isRootTrusted ? words.runCommandCopied : words.untrustedRunCommandCopied),
          (error: unknown) => notifyFailure(words.runCommandFailed, error),
        ),
    },
  ];
};
