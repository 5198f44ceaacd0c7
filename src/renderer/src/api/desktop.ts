import { BRIDGE_NAME, type DesktopBridge } from '../../../shared/desktop-bridge.ts';

/** The desktop window's own functions; undefined in a browser. Offer a function only if it exists. */
export const desktopBridge = (): DesktopBridge | undefined =>
  (window as { readonly [BRIDGE_NAME]?: DesktopBridge })[BRIDGE_NAME];
