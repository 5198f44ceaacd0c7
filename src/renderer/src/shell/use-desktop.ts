import { useEffect, useEffectEvent, useRef } from 'react';
import { pathOfView } from '../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../api/desktop.ts';
import { type PageRoute, paths } from '../routes.ts';
import { handLink } from './intents.ts';
import { isMac, type Keys, SHORTCUTS, type ShortcutId } from './shortcuts.ts';
import { useOpenFolder, useRootSwitch } from './use-root-switch.ts';

/**
 * Simulates a shortcut's keys for the native menu, so that both run the same code. The keys go to the focused
 * element, or to the body if that element would insert them as text.
 */
const pressShortcut = (id: ShortcutId): void => {
  const { key, mod = false, shift = false }: Keys = SHORTCUTS[id].keys[0];
  const target = (SHORTCUTS[id].inFields && document.activeElement) || document.body;
  target.dispatchEvent(
    new KeyboardEvent('keydown', {
      key,
      code: /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : '',
      keyCode: key.toUpperCase().charCodeAt(0),
      ctrlKey: mod && !isMac(),
      metaKey: mod && isMac(),
      shiftKey: shift,
      bubbles: true,
      cancelable: true,
    }),
  );
};

interface DesktopOptions {
  readonly page: PageRoute;
  readonly navigate: (path: string) => void;
  /** Runs the same action as the palette's command. */
  readonly onNewAgent: () => void;
}

/** Handles the desktop's menu commands, links and clicks on notifications. Does nothing in a browser. */
export const useDesktop = ({ page, navigate, onNewAgent }: DesktopOptions): void => {
  const go = useRef(navigate);
  go.current = navigate;
  const newAgent = useEffectEvent(onNewAgent);
  const { open } = useRootSwitch(false);
  const openFolder = useEffectEvent(useOpenFolder(open));
  const openRoot = useEffectEvent(open);
  useLinks(page.name === 'wallet', go);
  useEffect(
    () =>
      desktopBridge()?.onCommand?.((command) => {
        if (command === 'newAgent') newAgent();
        else if (command === 'openFolder') openFolder();
        else pressShortcut(command);
      }),
    [],
  );
  useEffect(() => desktopBridge()?.onOpenRoot?.((path) => openRoot(path)), []);
  useEffect(() => desktopBridge()?.onView?.((view) => go.current(pathOfView(view) ?? paths.overview)), []);
};

/** Passes all waiting links to the wallet and opens it. Unsaved text may keep the person on their page. */
const useLinks = (isWallet: boolean, go: { readonly current: (path: string) => void }): void => {
  const isThere = useRef(isWallet);
  isThere.current = isWallet;
  useEffect(() => {
    const take = async (): Promise<void> => {
      const bridge = desktopBridge();
      let hasCome = false;
      for (let link = await bridge?.takeLink?.(); link; link = await bridge?.takeLink?.()) {
        handLink(link);
        hasCome = true;
      }
      if (hasCome && !isThere.current) go.current(paths.wallet);
    };
    void take();
    return desktopBridge()?.onLink?.(() => void take());
  }, [go]);
};
