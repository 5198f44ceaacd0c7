import type { BrowserWindowConstructorOptions, OpenDialogOptions } from 'electron';

/** The launch options of the double, passed as JSON in {@link LAUNCH_OPTIONS_VARIABLE}. */
export interface LaunchOptions {
  userData: string;
  /** `~/.config`, `~/Library/Application Support` and so on. */
  appData: string;
  isPackaged?: boolean;
  /** The keychain's secret. One keychain can't open what another sealed. If absent, there is no keychain. */
  keychain?: string;
  /** The keychain is locked, or not there yet. Electron asks it only once, so that lasts as long as the process. */
  isKeychainLocked?: boolean;
  /** The keyring that Chromium found on Linux. */
  keyring?: 'basic_text' | 'gnome_libsecret';
  /** Chromium is ready only when the test says so. */
  isReadyLater?: boolean;
  /** As on GNOME, where a tray icon is created and never appears; or as where it can't even be created. */
  tray?: 'hidden' | 'refused';
  /** When a window is reported as unresponsive after a close. Electron waits 5 s. */
  unresponsiveAfterCloseMs?: number;
  /** The frame that the window manager puts around each window. Default: none. */
  frame?: { left: number; top: number } | undefined;
  /** What the system says when it can't open a folder. Default: it can. */
  openProblem?: string | undefined;
  /** Default: true. A Linux without libnotify has none. */
  hasNotifications?: boolean;
}

/** The environment variable with the launch options. */
export const LAUNCH_OPTIONS_VARIABLE = 'ELECTRON_DOUBLE';

/** A call that the double recorded outside its windows. */
export type RecordedCall =
  | { kind: 'opened'; target: string }
  | { kind: 'dialog'; parent: number; message: string; detail: string; buttons: string[] }
  | { kind: 'chooser'; options: OpenDialogOptions }
  | { kind: 'tray'; isThere: boolean; hasImage: boolean }
  | { kind: 'context-menu'; items: string[] }
  | { kind: 'protocol'; scheme: string }
  | { kind: 'copied'; text: string }
  | { kind: 'debugging'; name: string }
  | { kind: 'relaunch'; execPath: string; args: string[] }
  | { kind: 'notification'; id: number; title: string; body: string }
  | { kind: 'notification-closed'; id: number }
  | { kind: 'unresponsive'; window: number }
  | { kind: 'ready' };

/** The id and the options of a window. */
export interface MadeWindow {
  id: number;
  options: BrowserWindowConstructorOptions;
}

/** The session's settings, with the answers of its handlers. */
export interface SessionFacts {
  permissionRequest: boolean;
  permissionCheck: boolean;
  device: boolean;
  spellChecker: boolean;
}
