import type { EditableFile } from './api/names.ts';

/** The channels between the window and Electron's main process. */
export const BRIDGE_CHANNELS = {
  pageToken: 'dot-mi:page-token',
  reveal: 'dot-mi:reveal',
  openInEditor: 'dot-mi:open-in-editor',
  runInTerminal: 'dot-mi:run-in-terminal',
  chooseFolder: 'dot-mi:choose-folder',
  openDataFolder: 'dot-mi:open-data-folder',
  openLogs: 'dot-mi:open-logs',
  readPreferences: 'dot-mi:read-preferences',
  writePreferences: 'dot-mi:write-preferences',
  takeLink: 'dot-mi:take-link',
  readUpdate: 'dot-mi:read-update',
  answerUpdate: 'dot-mi:answer-update',
  readLimits: 'dot-mi:read-limits',
  setTheme: 'dot-mi:set-theme',
  restart: 'dot-mi:restart',
} as const;

/** The channels on which the main process sends first. */
export const BRIDGE_EVENTS = {
  /** A link is waiting. The page fetches it with `takeLink`. */
  link: 'dot-mi:link',
  /** Carries a {@link PageCommand}. */
  command: 'dot-mi:command',
  /** The {@link UpdateState} changed. The page fetches it with `readUpdate`. */
  update: 'dot-mi:update',
  /** Carries a {@link PageView}. */
  view: 'dot-mi:view',
} as const;

/** Commands from the native menu to the page. All but `newAgent` and `chooseRoot` name a page shortcut. */
export const PAGE_COMMANDS = [
  'search',
  'settings',
  'shortcuts',
  'save',
  'find',
  'newAgent',
  'chooseRoot',
] as const;

/** One of {@link PAGE_COMMANDS}. */
export type PageCommand = (typeof PAGE_COMMANDS)[number];

/** The views that a notification opens, with their paths. */
export const PAGE_VIEWS = { wallet: '/wallet', overview: '/' } as const;

/** One of {@link PAGE_VIEWS}, or the page of an agent. */
export type PageView = keyof typeof PAGE_VIEWS | `agent:${string}`;

const AGENT_VIEW = /^agent:([A-Za-z0-9][A-Za-z0-9._-]{0,63})$/;

/** The path of a {@link PageView} in the page. Undefined for any other text. */
export const pathOfView = (view: string): string | undefined => {
  if (Object.hasOwn(PAGE_VIEWS, view)) return PAGE_VIEWS[view as keyof typeof PAGE_VIEWS];
  const [, agent] = AGENT_VIEW.exec(view) ?? [];
  return agent === undefined ? undefined : `/agents/${agent}`;
};

/**
 * An agent, one of its files, or any entry of its directory: by name and not by path, so that the page can point
 * to nothing else.
 */
export interface AgentPath {
  readonly agent: string;
  readonly file?: EditableFile | undefined;
  readonly entry?: string | undefined;
}

/** A file that {@link DesktopBridge.openInEditor} can open. An `entry` must be a plain text file by its name. */
export type OpenableFile =
  | { readonly agent: string; readonly file: EditableFile }
  | { readonly agent: string; readonly entry: string };

/**
 * How {@link DesktopBridge.runInTerminal} ended. Without a terminal, the page copies the command. Warnings are
 * sentences about the run command.
 */
export type TerminalOutcome =
  | { readonly kind: 'opened'; readonly warnings: readonly string[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'no-terminal'; readonly command: string; readonly warnings: readonly string[] };

/** Which events show a notification. */
export interface NotificationPreferences {
  /** A payment was received. */
  readonly payments: boolean;
  /** A payment failed after its request was answered, or is stuck. */
  readonly attention: boolean;
  /** The mint hasn't answered for a while. */
  readonly mint: boolean;
  /** An agent reached 80 or 100 percent of a limit. */
  readonly budgets: boolean;
  /** A service sold the work of an agent, or couldn't do what a customer had paid for. */
  readonly sales: boolean;
  /** An agent asked a person something. */
  readonly waiting: boolean;
  /** An agent finished work of ten seconds or more. */
  readonly done: boolean;
  /** A new version was downloaded. */
  readonly updates: boolean;
}

/** The preferences that only the desktop program has. */
export interface DesktopPreferences {
  readonly closeToTray: boolean;
  readonly startAtLogin: boolean;
  /** Whether to ask the release page for a newer version now and then. Otherwise it sends no request. */
  readonly checkForUpdates: boolean;
  readonly notifications: NotificationPreferences;
}

/** The themes that a person can choose. `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;

/** One of {@link THEMES}. */
export type Theme = (typeof THEMES)[number];

/** What this system or this copy of the program can't do. Absent parts work. */
export interface DesktopLimits {
  /** The desktop shows no tray icons, so `closeToTray` has no effect. */
  readonly hasNoTray?: boolean;
  /** This is an AppImage that the desktop doesn't know, so `cashu:` links don't open it. */
  readonly hasNoLinks?: boolean;
  /** This Linux has no libnotify, so no notification is shown. */
  readonly hasNoNotifications?: boolean;
}

/**
 * What there is to say about a newer version of the desktop program. `none` also when the person wants to hear about it
 * later. `current`, `unsupported` (this copy can't update itself), `not-installed` (it runs from the sources), `checking`
 * and `check-failed` only if a person asked.
 */
export type UpdateState =
  | { readonly kind: 'none' | 'checking' | 'current' | 'unsupported' | 'not-installed' }
  /** The portable program can't replace itself, so it only reports the version. */
  | { readonly kind: 'available'; readonly version: string; readonly isPortable: boolean }
  /** A `ready` version is installed when the program quits. */
  | { readonly kind: 'downloading' | 'ready'; readonly version: string }
  /** `reason` is one line from the updater. */
  | { readonly kind: 'check-failed'; readonly reason: string }
  | { readonly kind: 'download-failed'; readonly version: string; readonly reason: string };

/** A person's answers to an {@link UpdateState}. `later` hides it until the next check. */
export const UPDATE_ANSWERS = ['download', 'install', 'later'] as const;

/** One of {@link UPDATE_ANSWERS}. */
export type UpdateAnswer = (typeof UPDATE_ANSWERS)[number];

/**
 * The functions that the desktop offers to the page. There are none in a browser. Each optional function is a
 * capability: the page uses it where it exists, and offers another way elsewhere. A failure rejects with a
 * sentence.
 */
export interface DesktopBridge {
  readonly version: string;
  /** SECURITY: gives access to the operator routes. Keep it for the window only. */
  pageToken(): Promise<string>;
  /** Shows an agent or one of its entries in the system's file manager. */
  reveal?(place: AgentPath): Promise<void>;
  /** Opens a file with the program that the system uses for it. */
  openInEditor?(place: OpenableFile): Promise<void>;
  /**
   * Runs an agent in the system's terminal. An agent without a workspace runs in a folder that the operator
   * chooses first.
   */
  runInTerminal?(agent: string): Promise<TerminalOutcome>;
  /** Lets the operator choose a directory. Returns its absolute path, or null if they cancel. */
  chooseFolder?(): Promise<string | null>;
  openDataFolder?(): Promise<void>;
  /** Opens the folder with the log. */
  openLogs?(): Promise<void>;
  readPreferences?(): Promise<DesktopPreferences>;
  writePreferences?(preferences: DesktopPreferences): Promise<void>;
  readUpdate?(): Promise<UpdateState>;
  answerUpdate?(answer: UpdateAnswer): Promise<void>;
  /** Calls `onUpdate` whenever the update state changes. The result unsubscribes. */
  onUpdate?(onUpdate: () => void): () => void;
  /** Asks the system again each time, because a tray or a desktop entry may have been added. */
  readLimits?(): Promise<DesktopLimits>;
  /** Draws the window's own parts in the page's theme, also at the next start. */
  setTheme?(theme: Theme): Promise<void>;
  /** Quits and starts again. Unsaved text asks first, and can keep the program running. */
  restart?(): Promise<void>;
  /** Returns the text of a `cashu:` link that was opened, each only once. Null if none is waiting. */
  takeLink?(): Promise<string | null>;
  /**
   * Calls `onLink` whenever a link arrives. The result unsubscribes. SECURITY: the link is money, so the page
   * asks for it and it is never pushed.
   */
  onLink?(onLink: () => void): () => void;
  /** Calls `onView` when a click on a notification asks for a view. The result unsubscribes. */
  onView?(onView: (view: PageView) => void): () => void;
  /** Calls `onCommand` for each command of the native menu. The result unsubscribes. */
  onCommand?(onCommand: (command: PageCommand) => void): () => void;
}

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'dotMiDesktop' as const;
