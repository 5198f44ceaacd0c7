import { opensAsText } from '../../../pi/entry-roles.ts';
import type { AgentSummary } from '../../../shared/api/agents.ts';
import type { AgentEntry } from '../../../shared/api/entries.ts';
import { isWindowsPath } from '../../../shared/run-command.ts';
import { desktopBridge } from '../api/desktop.ts';
import { entries as words } from '../strings/entries.ts';
import { tools as toolWords } from '../strings/shell.ts';
import { copyText } from '../ui/clipboard.ts';
import { reportFailure } from '../ui/failures.tsx';

/** An action that opens or reveals an entry outside this page. */
interface EntryAction {
  readonly label: string;
  /** The label with the entry's name, for assistive technology. */
  readonly fullLabel: string;
  readonly run: () => void;
}

/**
 * Returns an entry's actions. A browser can only copy its path. The window can also reveal the entry and open plain
 * text.
 */
export const entryActions = (
  agent: Pick<AgentSummary, 'id' | 'path'>,
  { name, kind }: Pick<AgentEntry, 'name' | 'kind'>,
): readonly EntryAction[] => {
  const bridge = desktopBridge();
  const attempt = (action: Promise<void>): void => {
    action.catch((error: unknown) => reportFailure(toolWords.failed, error));
  };
  const place = { agent: agent.id, entry: name };
  const { openInEditor, reveal } = bridge ?? {};
  return [
    ...(openInEditor && kind === 'file' && opensAsText(name)
      ? [{ label: words.open, fullLabel: words.openLabel(name), run: () => attempt(openInEditor(place)) }]
      : []),
    ...(reveal
      ? [{ label: words.reveal, fullLabel: words.revealLabel(name), run: () => attempt(reveal(place)) }]
      : [
          {
            label: words.copyPath,
            fullLabel: words.copyPathLabel(name),
            run: () => {
              const path = `${agent.path}${isWindowsPath(agent.path) ? '\\' : '/'}${name}`;
              void copyText(path, toolWords.pathCopied);
            },
          },
        ]),
  ];
};
