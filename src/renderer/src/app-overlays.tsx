import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { allCommands } from './app-commands.ts';
import { CommandPalette } from './features/palette/command-palette.tsx';
import { QuickOpen } from './features/palette/quick-open.tsx';
import { ShortcutsSheet } from './features/palette/shortcuts-sheet.tsx';
import { agentOf, type Page } from './routes.ts';
import { MAIN_ID } from './shell/shell.tsx';
import type { Overlay } from './shell/use-overlays.ts';
import { focusIsLost } from './ui/focus-is-lost.ts';

/** Props of {@link AppOverlays}. */
export interface AppOverlaysProps {
  readonly page: Page;
  /** The open overlay. `last` stays while it fades. */
  readonly open: Overlay | null;
  readonly last: Overlay;
  readonly onShow: (overlay: Overlay) => void;
  readonly onClose: () => void;
}

/** The focused element may have disappeared with its page. The next Tab then starts at the new page. */
const keepFocus = (): void => {
  requestAnimationFrame(() => {
    if (focusIsLost()) document.getElementById(MAIN_ID)?.focus();
  });
};

/** The palette, quick open and the sheet of shortcuts. Loaded on first use. */
export const AppOverlays = ({ page, open, last, onShow, onClose }: AppOverlaysProps) => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const isPaletteOpen = open === 'palette';
  const commands = useMemo(
    // Recalculated at each opening, because data that was read since may change the commands.
    () => (isPaletteOpen || last === 'palette' ? allCommands({ page, client, navigate, show: onShow }) : []),
    [isPaletteOpen, last, page, client, navigate, onShow],
  );
  const go = (path: string): void => {
    navigate(path);
    // The focus follows, to where something changed.
    document.getElementById(MAIN_ID)?.focus();
  };
  if (last === 'palette')
    return (
      <CommandPalette
        open={isPaletteOpen}
        commands={commands}
        onClose={onClose}
        onClosed={(command) => {
          command?.run();
          keepFocus();
        }}
      />
    );
  if (last === 'quickOpen')
    return (
      <QuickOpen
        open={open === 'quickOpen'}
        openedId={agentOf(page)}
        onClose={onClose}
        onClosed={(path) => path !== null && go(path)}
      />
    );
  return <ShortcutsSheet open={open === 'shortcuts'} onClose={onClose} />;
};
