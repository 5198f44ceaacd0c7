import { BRIDGE_NAME, type DesktopBridge } from '../../../shared/desktop-bridge.ts';

/** Returns the desktop window's functions, or undefined in a browser. Offer a function only if it exists. */
export const desktopBridge = (): DesktopBridge | undefined =>
  (window as { readonly [BRIDGE_NAME]?: DesktopBridge })[BRIDGE_NAME];
