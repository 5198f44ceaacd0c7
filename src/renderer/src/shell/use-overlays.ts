import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import { strings } from '../strings.ts';
import { notify } from '../ui/toast.tsx';

/** What can stand above the page, on request. */
export type Overlay = 'palette' | 'quickOpen' | 'shortcuts';

/** Which overlay is open, and the code of all of them, once it was needed. */
export interface Overlays<P> {
  readonly View: ComponentType<P> | null;
  readonly open: Overlay | null;
  /** The one that was opened last: it stays while it fades. */
  readonly last: Overlay;
  /** Counts the openings: each begins anew. */
  readonly nth: number;
  readonly show: (overlay: Overlay) => void;
  readonly close: () => void;
}

interface OverlayOptions<P> {
  readonly load: () => Promise<ComponentType<P>>;
  readonly onSettings: () => void;
  /** There is no page to open them above; what is asked for meanwhile is not opened later either. */
  readonly isOff: boolean;
}

/** Opens overlays by their shortcuts. Their code is loaded when the first of them is asked for. */
export const useOverlays = <P>({ load, onSettings, isOff }: OverlayOptions<P>): Overlays<P> => {
  const [View, setView] = useState<ComponentType<P> | null>(null);
  const [state, setState] = useState<Pick<Overlays<P>, 'open' | 'last' | 'nth'>>({
    open: null,
    last: 'palette',
    nth: 0,
  });
  const show = useCallback(
    (overlay: Overlay): void => {
      if (isOff) return;
      load().then(
        (view) => {
          setView(() => view);
          setState(({ nth }) => ({ open: overlay, last: overlay, nth: nth + 1 }));
        },
        () => notify(strings.shell.partFailed),
      );
    },
    [load, isOff],
  );
  const close = useCallback((): void => setState((before) => ({ ...before, open: null })), []);
  useEffect(() => {
    if (isOff) close();
  }, [isOff, close]);
  useShortcuts({
    palette: () => show('palette'),
    quickOpen: () => show('quickOpen'),
    shortcuts: () => show('shortcuts'),
    settings: onSettings,
  });
  return { View, ...state, show, close };
};
