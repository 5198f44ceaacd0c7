import type { EditableFile } from './api/names.ts';

/** The channels between the window and Electron's main process. */
export const BRIDGE_CHANNELS = {
  operatorToken: 'dot-mi:operator-token',
  reveal: 'dot-mi:reveal',
  openInEditor: 'dot-mi:open-in-editor',
  chooseFolder: 'dot-mi:choose-folder',
  openDataFolder: 'dot-mi:open-data-folder',
  readPreferences: 'dot-mi:read-preferences',
  writePreferences: 'dot-mi:write-preferences',
} as const;

/** An agent, or one of its files: by name, never by path, so that the page can point at nothing else on the disk. */
export interface DiskPlace {
  readonly agent: string;
  readonly file?: EditableFile | undefined;
}

/** What only the desktop program can be told to do. */
export interface DesktopPreferences {
  readonly closeToTray: boolean;
  readonly startAtLogin: boolean;
}

/**
 * What the page can ask of the desktop; in a browser there is none. Each function that may be absent is a capability:
 * the page offers it where it is there, and a way without it elsewhere. What fails rejects with a sentence.
 */
export interface DesktopBridge {
  readonly version: string;
  /** SECURITY: opens the operator routes; keep it for the window only. */
  operatorToken(): Promise<string>;
  /** Shows an agent or a file in the system's file manager. */
  reveal?(place: DiskPlace): Promise<void>;
  /** Opens a file with the program that the system has for it. */
  openInEditor?(place: DiskPlace & { readonly file: EditableFile }): Promise<void>;
  /** Lets a person choose a directory, and answers its absolute path; null when they did not. */
  chooseFolder?(): Promise<string | null>;
  openDataFolder?(): Promise<void>;
  readPreferences?(): Promise<DesktopPreferences>;
  writePreferences?(preferences: DesktopPreferences): Promise<void>;
}

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'dotMiDesktop' as const;
