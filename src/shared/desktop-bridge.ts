import type { EditableFile } from './api/names.ts';

/** The channels between the window and Electron's main process. */
export const BRIDGE_CHANNELS = {
  pageToken: 'dot-mi:page-token',
  reveal: 'dot-mi:reveal',
  openInEditor: 'dot-mi:open-in-editor',
  chooseFolder: 'dot-mi:choose-folder',
  openDataFolder: 'dot-mi:open-data-folder',
  openLogs: 'dot-mi:open-logs',
  readPreferences: 'dot-mi:read-preferences',
  writePreferences: 'dot-mi:write-preferences',
  takeLink: 'dot-mi:take-link',
} as const;

/** The channels on which the main process speaks first. */
export const BRIDGE_EVENTS = {
  /** A link waits to be taken. */
  link: 'dot-mi:link',
  /** Carries a {@link PageCommand}. */
  command: 'dot-mi:command',
} as const;

/** What the native menu asks of the page; all but `newAgent` and `chooseRoot` are shortcuts of the page by that name. */
export const PAGE_COMMANDS = [
  'palette',
  'quickOpen',
  'settings',
  'shortcuts',
  'save',
  'find',
  'newAgent',
  'chooseRoot',
] as const;

/** One of {@link PAGE_COMMANDS}. */
export type PageCommand = (typeof PAGE_COMMANDS)[number];

/** An agent, or one of its files: by name, never by path, so that the page can point at nothing else on the disk. */
export interface AgentPath {
  readonly agent: string;
  readonly file?: EditableFile | undefined;
}

/** What only the desktop program can be told to do. */
export interface DesktopPreferences {
  readonly closeToTray: boolean;
  readonly startAtLogin: boolean;
  /** Asks the release page for a newer version now and then; nothing is asked without it. */
  readonly checkForUpdates: boolean;
}

/**
 * What the page can ask of the desktop; in a browser there is none. Each function that may be absent is a capability:
 * the page offers it where it is there, and a way without it elsewhere. What fails rejects with a sentence.
 */
export interface DesktopBridge {
  readonly version: string;
  /** SECURITY: opens the operator routes; keep it for the window only. */
  pageToken(): Promise<string>;
  /** Shows an agent or a file in the system's file manager. */
  reveal?(place: AgentPath): Promise<void>;
  /** Opens a file with the program that the system has for it. */
  openInEditor?(place: AgentPath & { readonly file: EditableFile }): Promise<void>;
  /** Lets a person choose a directory, and answers its absolute path; null when they did not. */
  chooseFolder?(): Promise<string | null>;
  openDataFolder?(): Promise<void>;
  /** Opens the folder with the log. */
  openLogs?(): Promise<void>;
  readPreferences?(): Promise<DesktopPreferences>;
  writePreferences?(preferences: DesktopPreferences): Promise<void>;
  /** The text of a `cashu:` link that was opened, each once; null when none waits. */
  takeLink?(): Promise<string | null>;
  /**
   * Calls `onLink` whenever a link begins to wait, until what is answered is called.
   * SECURITY: the link is money, so it is asked for, never pushed.
   */
  onLink?(onLink: () => void): () => void;
  /** Calls `onCommand` when the native menu asks for something, until what is answered is called. */
  onCommand?(onCommand: (command: PageCommand) => void): () => void;
}

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'dotMiDesktop' as const;
