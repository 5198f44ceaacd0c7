import { useEffect, useRef } from 'react';
import { desktopBridge } from '../api/desktop.ts';
import { raiseIntent } from '../commands/intents.ts';
import { handLink } from '../commands/opened-links.ts';
import { pressShortcut } from '../commands/press-shortcut.ts';
import { type Page, paths } from '../routes.ts';

/** Does what the desktop's menu and links ask of the page; in a browser there is nothing of the kind. */
export const useDesktop = (page: Page, navigate: (path: string) => void): void => {
  const go = useRef(navigate);
  go.current = navigate;
  useLinks(page.name === 'wallet', go);
  useEffect(
    () =>
      desktopBridge()?.onCommand?.((command) => {
        if (command === 'newAgent') {
          go.current(paths.agents);
          raiseIntent({ kind: 'new-agent' });
        } else if (command === 'chooseRoot') go.current(paths.settings);
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
