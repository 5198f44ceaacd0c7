import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { shell as words } from '../strings/shell.ts';
import { reportFailure } from '../ui/failures.tsx';
import { startSearch } from './search.ts';
import { closeWhatGivesWay, useShortcuts } from './shortcuts.ts';

/** The overlays that can open above the page. */
export type Overlay = 'search' | 'shortcuts' | 'changes';

/** The open overlay, and all overlays' code once it's loaded. */
interface Overlays<P> {
  readonly View: ComponentType<P> | null;
  readonly open: Overlay | null;
  /** The overlay that was opened last. Remains set while the overlay fades. */
  readonly last: Overlay;
  readonly show: (overlay: Overlay) => void;
  readonly close: () => void;
}

interface OverlayOptions<P> {
  readonly load: () => Promise<ComponentType<P>>;
  readonly onSettings: () => void;
  /** True while there's no page for overlays to cover. Requests to open one are then ignored. */
  readonly isOff: boolean;
}

/**
 * Opens overlays by their shortcuts. Their code loads on the first request. Text typed after a request for the search
 * goes into its field, even before it appears.
 */
export const useOverlays = <P>({ load, onSettings, isOff }: OverlayOptions<P>): Overlays<P> => {
  const [View, setView] = useState<ComponentType<P> | null>(null);
  const [{ open, last }, setState] = useState<Pick<Overlays<P>, 'open' | 'last'>>({
    open: null,
    last: 'search',
  });
  /** The last requested overlay. Null if the request was cancelled. */
  const requested = useRef<Overlay>(null);
  const endSearch = useRef<() => void>(null);
  const close = useCallback((): void => {
    requested.current = null;
    endSearch.current?.();
    endSearch.current = null;
    setState((before) => ({ ...before, open: null }));
  }, []);
  const show = useCallback(
    (overlay: Overlay): void => {
      // While an overlay opens, a second request would drop the text typed after the first one.
      if (isOff || requested.current === overlay) return;
      close();
      // Must come before the request, because the list of shortcuts calls `close` when the search replaces it.
      if (overlay === 'search') closeWhatGivesWay();
      requested.current = overlay;
      if (overlay === 'search') endSearch.current = startSearch(close);
      load().then(
        (view) => {
          if (requested.current !== overlay) return;
          setView(() => view);
          setState({ open: overlay, last: overlay });
        },
        () => {
          close();
          reportFailure(words.partFailed);
        },
      );
    },
    [load, isOff, close],
  );
  useEffect(() => {
    if (isOff) close();
  }, [isOff, close]);
  useShortcuts({
    search: () => show('search'),
    shortcuts: () => show('shortcuts'),
    changes: () => show('changes'),
    settings: onSettings,
  });
  return { View, open, last, show, close };
};
