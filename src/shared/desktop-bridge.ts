/** The channels between the window and Electron's main process. */
export const BRIDGE_CHANNELS = { operatorToken: 'dot-mi:operator-token' } as const;

/** What the page can ask of the desktop; in a browser there is none. */
export interface DesktopBridge {
  readonly version: string;
  /** SECURITY: opens the operator routes; keep it for the window only. */
  operatorToken(): Promise<string>;
}

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'dotMiDesktop' as const;
