import { useEffect, useRef } from 'react';
import { desktopBridge } from '../api/desktop.ts';
import { raiseIntent } from '../commands/intents.ts';
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

/** Brings links to the wallet, which takes them from the address bar as it does in a browser. Nothing is redeemed. */
const useLinks = (isWallet: boolean, go: { readonly current: (path: string) => void }): void => {
  /** Unsaved text may keep the person where they are; the link waits until they come to the wallet. */
  const waiting = useRef<string | null>(null);
  useEffect(() => {
    const hand = (): void => {
      if (!isWallet || waiting.current === null) return;
      location.hash = `cashu=${encodeURIComponent(waiting.current)}`;
      waiting.current = null;
    };
    const take = async (): Promise<void> => {
      hand();
      if (waiting.current !== null) return;
      waiting.current = (await desktopBridge()?.takeLink?.()) ?? null;
      if (waiting.current === null) return;
      if (isWallet) hand();
      else go.current(paths.wallet);
    };
    void take();
    return desktopBridge()?.onLink?.(() => void take());
  }, [isWallet, go]);
};
