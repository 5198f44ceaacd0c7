import { useEffect, useEffectEvent, useRef } from 'react';
import { desktopBridge } from '../api/desktop.ts';
import { handLink } from '../commands/opened-links.ts';
import { pressShortcut } from '../commands/press-shortcut.ts';
import { type Page, paths } from '../routes.ts';

interface DesktopOptions {
  readonly page: Page;
  readonly navigate: (path: string) => void;
  /** Does what the command of the palette does. */
  readonly onNewAgent: () => void;
}

/** Does what the desktop's menu and links ask of the page; in a browser there is nothing of the kind. */
export const useDesktop = ({ page, navigate, onNewAgent }: DesktopOptions): void => {
  const go = useRef(navigate);
  go.current = navigate;
  const newAgent = useEffectEvent(onNewAgent);
  useLinks(page.name === 'wallet', go);
  useEffect(
    () =>
      desktopBridge()?.onCommand?.((command) => {
        if (command === 'newAgent') newAgent();
        else if (command === 'chooseRoot') go.current(paths.settings);
        else pressShortcut(command);
      }),
    [],
  );
};

/** Brings links to the wallet, all that wait, and the person with them; unsaved text may keep them where they are. */
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
