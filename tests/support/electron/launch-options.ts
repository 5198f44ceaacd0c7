/** What the system around the double is like; handed over as JSON in {@link ORDERS_VARIABLE}. */
export interface Orders {
  userData: string;
  /** `~/.config`, `~/Library/Application Support` and so on. */
  appData: string;
  isPackaged?: boolean;
  /** The secret of the keychain: what one sealed another does not open. Absent, there is no keychain. */
  keychain?: string;
  /** What Chromium found on Linux. */
  keyring?: 'basic_text' | 'gnome_libsecret';
  /** Chromium is ready only when the test says so. */
  isReadyLater?: boolean;
  /** Which button of a question that blocks is pressed. */
  syncAnswer?: number;
}

/** The variable with the orders. */
export const ORDERS_VARIABLE = 'ELECTRON_DOUBLE';

/** What happened to the double outside its windows, in order. */
export type Deed =
  | { kind: 'opened'; target: string }
  | { kind: 'dialog'; message: string; detail: string; buttons: string[] }
  | { kind: 'error-box'; title: string; content: string }
  | { kind: 'tray'; isThere: boolean; hasImage: boolean }
  | { kind: 'context-menu'; items: string[] }
  | { kind: 'protocol'; scheme: string }
  | { kind: 'ready' };

/** What a window was made with. */
export interface MadeWindow {
  id: number;
  options: { webPreferences: Record<string, unknown> } & Record<string, unknown>;
}

/** What the session was told, with the answers that its handlers give. */
export interface SessionFacts {
  permissionRequest: boolean;
  permissionCheck: boolean;
  device: boolean;
  spellChecker: boolean;
}
