import { BRIDGE_NAME, type DesktopBridge } from '../../../shared/desktop-bridge.ts';

/** What only the desktop window can do; undefined in a browser. Offer a capability only where it is there. */
export const desktopBridge = (): DesktopBridge | undefined =>
  (window as { readonly [BRIDGE_NAME]?: DesktopBridge })[BRIDGE_NAME];
