import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { useShortcuts } from '../commands/use-shortcuts.ts';
import { strings } from '../strings.ts';
import { notify } from '../ui/toast.tsx';

/** The overlays that can open above the page. */
export type Overlay = 'palette' | 'quickOpen' | 'shortcuts';

/** The open overlay, and the code of all overlays once it is loaded. */
export interface Overlays<P> {
  readonly View: ComponentType<P> | null;
  readonly open: Overlay | null;
  /** The overlay that was opened last. It stays while it fades. */
  readonly last: Overlay;
  /** Counts the openings, because each one starts afresh. */
  readonly nth: number;
  readonly show: (overlay: Overlay) => void;
  readonly close: () => void;
}

interface OverlayOptions<P> {
  readonly load: () => Promise<ComponentType<P>>;
  readonly onSettings: () => void;
  /** There is no page to open overlays above. Requests during that time are dropped. */
  readonly isOff: boolean;
}

/** Opens overlays by their shortcuts. Their code loads when the first one is requested. */
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
