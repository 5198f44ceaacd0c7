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

/** What {@link AppOverlays} needs. */
export interface AppOverlaysProps {
  readonly page: Page;
  /** Which is open; `last` stays while it fades. */
  readonly open: Overlay | null;
  readonly last: Overlay;
  readonly onShow: (overlay: Overlay) => void;
  readonly onClose: () => void;
}

/** What had the focus may have gone with the page that was left; the next Tab then begins at the new one. */
const keepFocus = (): void => {
  requestAnimationFrame(() => {
    if (focusIsLost()) document.getElementById(MAIN_ID)?.focus();
  });
};

/** The palette, quick open and the sheet of shortcuts. Loaded when first asked for. */
export const AppOverlays = ({ page, open, last, onShow, onClose }: AppOverlaysProps) => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const isPaletteOpen = open === 'palette';
  const commands = useMemo(
    // Anew at each opening: what makes sense depends on what was read since.
    () => (isPaletteOpen || last === 'palette' ? allCommands({ page, client, navigate, show: onShow }) : []),
    [isPaletteOpen, last, page, client, navigate, onShow],
  );
  const go = (path: string): void => {
    navigate(path);
    // The focus goes along, to where something changed.
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
