import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useLocation } from 'wouter';
import { SearchDialog } from '../features/palette/search-dialog.tsx';
import type { SearchTarget } from '../features/palette/search-targets.ts';
import { ShortcutsSheet } from '../features/palette/shortcuts-sheet.tsx';
import { kept } from '../kept.ts';
import { agentOf, type PageRoute, parsePath } from '../routes.ts';
import { lazyView } from '../ui/lazy-view.tsx';
import { focusIsLost } from '../ui/use-focus-after-removal.ts';
import { allCommands, commandsForAgent, settingTargets } from './app-commands.ts';
import { MAIN_ID } from './shell.tsx';
import type { Overlay } from './use-overlays.ts';

// Separate from the search, because it includes a text comparison.
const RecentChanges = lazyView(
  async () => (await import('../changes/change-list.tsx')).RecentChanges,
  'part',
);

interface AppOverlaysProps {
  readonly page: PageRoute;
  /** The open overlay. `last` remains set while the overlay fades. */
  readonly open: Overlay | null;
  readonly last: Overlay;
  readonly onShow: (overlay: Overlay) => void;
  readonly onClose: () => void;
}

/** Returns the agent that was opened last, or null. */
const lastAgentId = (): string | null => {
  const path = kept.get('last-agent');
  return path === null ? null : agentOf(parsePath(path));
};

const focusMain = (): void => document.getElementById(MAIN_ID)?.focus();

/** If the focused element disappeared with its page, makes the next Tab start at the new page. */
const keepFocus = (): void => {
  requestAnimationFrame(() => {
    if (focusIsLost()) focusMain();
  });
};

/** Returns whether a target sets focus itself, or leaves it in place. */
const focusesItself = ({ icon }: SearchTarget): boolean =>
  icon === 'commands' || icon === 'settings' || icon === 'prompts' || icon === 'links';

/** The search and the list of shortcuts. Loaded on first use. */
export const AppOverlays = ({ page, open, last, onShow, onClose }: AppOverlaysProps) => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const isSearching = open === 'search';
  const commands = useMemo(
    // Depends on `isSearching`, because data that arrived since the last opening may change the commands.
    () => (isSearching || last === 'search' ? allCommands({ page, client, navigate, show: onShow }) : []),
    [isSearching, last, page, client, navigate, onShow],
  );
  const commandsFor = useCallback(
    (id: string) => commandsForAgent(id, { client, navigate }),
    [client, navigate],
  );
  const settings = useMemo(() => settingTargets(navigate), [navigate]);
  if (last === 'changes')
    return (
      <RecentChanges
        open={open === 'changes'}
        onClose={() => {
          onClose();
          keepFocus();
        }}
      />
    );
  if (last === 'shortcuts') return <ShortcutsSheet open={open === 'shortcuts'} onClose={onClose} />;
  return (
    <SearchDialog
      open={isSearching}
      openedId={agentOf(page)}
      lastId={lastAgentId()}
      commands={commands}
      commandsFor={commandsFor}
      settings={settings}
      navigate={navigate}
      onClose={onClose}
      onClosed={(target) => {
        target?.run();
        if (target && !focusesItself(target)) focusMain();
        else keepFocus();
      }}
    />
  );
};
