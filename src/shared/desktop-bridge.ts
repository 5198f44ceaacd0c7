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
  explainLosses: 'dot-mi:explain-losses',
} as const;

/** The channels on which the main process sends to the page. */
export const BRIDGE_EVENTS = {
  /** A link is waiting. The page fetches it with `takeLink`. */
  link: 'dot-mi:link',
  /** Carries a {@link PageCommand}. */
  command: 'dot-mi:command',
  /** The {@link UpdateState} changed. The page fetches it with `readUpdate`. */
  update: 'dot-mi:update',
  /** Carries a {@link PageView}. */
  view: 'dot-mi:view',
  /** Carries the path of a recent root. */
  openRoot: 'dot-mi:open-root',
} as const;

/** Commands from the native menu to the page. All but `newAgent` and `openFolder` name a page shortcut. */
export const PAGE_COMMANDS = [
  'search',
  'settings',
  'shortcuts',
  'save',
  'find',
  'newAgent',
  'openFolder',
] as const;

export type PageCommand = (typeof PAGE_COMMANDS)[number];

/** The views that a notification opens, with their paths. */
export const PAGE_VIEWS = { wallet: '/wallet', overview: '/' } as const;

/** One of {@link PAGE_VIEWS}, or an agent's page. */
export type PageView = keyof typeof PAGE_VIEWS | `agent:${string}`;

const AGENT_VIEW = /^agent:([A-Za-z0-9][A-Za-z0-9._-]{0,63})$/;

/** Returns the path of a {@link PageView} in the page. Undefined for any other text. */
export const pathOfView = (view: string): string | undefined => {
  if (Object.hasOwn(PAGE_VIEWS, view)) return PAGE_VIEWS[view as keyof typeof PAGE_VIEWS];
  const [, agent] = AGENT_VIEW.exec(view) ?? [];
  return agent === undefined ? undefined : `/agents/${agent}`;
};

/**
 * An agent, one of its files, or any entry of its directory, by name. The page can't name a path outside it.
 */
export interface AgentPath {
  readonly agent: string;
  readonly file?: EditableFile | undefined;
  readonly entry?: string | undefined;
}

/** A file that {@link DesktopBridge.openInEditor} can open. An `entry` must have a plain text file's name. */
export type OpenableFile =
  | { readonly agent: string; readonly file: EditableFile }
  | { readonly agent: string; readonly entry: string };

/**
 * The result of {@link DesktopBridge.runInTerminal}. Without a terminal, the page copies the command. Warnings are
 * sentences about the run command.
 */
export type TerminalOutcome =
  | { readonly kind: 'opened'; readonly warnings: readonly string[] }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'no-terminal'; readonly command: string; readonly warnings: readonly string[] };

/** Whether an event shows a notification until a person decides, in the order of the settings. */
export const NOTIFICATIONS = {
  /** A payment was received. */
  payments: true,
  /** A payment is stuck, or failed after dot-mi responded to its request. */
  attention: true,
  /** The mint hasn't responded for a while. */
  mint: true,
  /** An agent reached 80 or 100 percent of a limit. */
  budgets: true,
  /** A service sold an agent's work, couldn't do the work that a customer had paid for, or closed or opened again. */
  sales: true,
  /** An agent asked a person something. */
  waiting: true,
  /** An agent finished work of ten seconds or more. `run-finish-notify.ts` reports that, too. */
  done: false,
  /** A new version was downloaded. */
  updates: true,
};

/** An event that can show a notification. */
export type NotificationEvent = keyof typeof NOTIFICATIONS;

/** For each event, whether it shows a notification. */
export type NotificationPreferences = Readonly<Record<NotificationEvent, boolean>>;

/** The events that can show a notification. */
export const NOTIFICATION_EVENTS = Object.keys(NOTIFICATIONS) as readonly NotificationEvent[];

/** The desktop app's preferences. */
export interface DesktopPreferences {
  readonly closeToTray: boolean;
  readonly startAtLogin: boolean;
  /** True to check for newer versions regularly. If false, dot-mi sends no such requests. */
  readonly checkForUpdates: boolean;
  readonly notifications: NotificationPreferences;
}

/**
 * What leaving the page loses: a token that wasn't received, text in the token field that isn't a whole token, or text of
 * files that nothing could keep, such as on a full disk.
 */
export const LOSSES = ['token', 'text', 'drafts'] as const;

export type Loss = (typeof LOSSES)[number];

/** The themes to choose from. `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;

export type Theme = (typeof THEMES)[number];

/** Features that don't work on this system or in this copy of the app. Absent features work. */
export interface DesktopLimits {
  /** The desktop shows no tray icons, so `closeToTray` has no effect. */
  readonly hasNoTray?: boolean;
  /** This is an AppImage that the desktop doesn't know, so `cashu:` links don't open it. */
  readonly hasNoLinks?: boolean;
  /** This Linux has no libnotify, so no notification is shown. */
  readonly hasNoNotifications?: boolean;
}

/**
 * The state of the desktop app's updates. `none` also means the person postponed an update. `current`, `unsupported`
 * (this copy can't update itself), `not-installed` (runs from source), `checking` and `check-failed` occur only after a
 * person checked for updates.
 */
export type UpdateState =
  | { readonly kind: 'none' | 'checking' | 'current' | 'unsupported' | 'not-installed' }
  /** The portable app can't replace itself, so it only reports the version. */
  | { readonly kind: 'available'; readonly version: string; readonly isPortable: boolean }
  /** The app installs a `ready` version when it quits. */
  | { readonly kind: 'downloading' | 'ready'; readonly version: string }
  /** `reason` is one line from the updater. */
  | { readonly kind: 'check-failed'; readonly reason: string }
  | { readonly kind: 'download-failed'; readonly version: string; readonly reason: string };

/** A person's choices for an {@link UpdateState}. `later` hides the update until the next check. */
export const UPDATE_ANSWERS = ['download', 'install', 'later'] as const;

export type UpdateAnswer = (typeof UPDATE_ANSWERS)[number];

/**
 * The functions that the desktop offers to the page. A browser has none. Without an optional function, the page offers
 * another way. On failure, a function rejects with a full sentence as the message.
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
   * Runs an agent in the system's terminal. An agent without a workspace runs in a directory that the operator
   * chooses first.
   */
  runInTerminal?(agent: string): Promise<TerminalOutcome>;
  /** Lets the operator choose a directory. Returns its absolute path, or null if they cancel. */
  chooseFolder?(): Promise<string | null>;
  openDataFolder?(): Promise<void>;
  /** Opens the log's directory. */
  openLogs?(): Promise<void>;
  readPreferences?(): Promise<DesktopPreferences>;
  writePreferences?(preferences: DesktopPreferences): Promise<void>;
  readUpdate?(): Promise<UpdateState>;
  answerUpdate?(answer: UpdateAnswer): Promise<void>;
  /** Calls `onUpdate` whenever the update state changes. The result unsubscribes. */
  onUpdate?(onUpdate: () => void): () => void;
  /** Checks the system each time, because a tray or a desktop entry may have been added. */
  readLimits?(): Promise<DesktopLimits>;
  /** Draws the window's frame in the page's theme, now and at the next start. */
  setTheme?(theme: Theme): Promise<void>;
  /** Says what is lost, just before the page asks to stay. The question names it. */
  explainLosses?(losses: readonly Loss[]): Promise<void>;
  /** Restarts the app. If there's unsaved text, asks first, and the person can cancel. */
  restart?(): Promise<void>;
  /** Returns each opened `cashu:` link as text, only once. Null if none is waiting. */
  takeLink?(): Promise<string | null>;
  /**
   * Calls `onLink` whenever a link arrives. The result unsubscribes. SECURITY: the link is money, so it isn't pushed. The
   * page fetches it.
   */
  onLink?(onLink: () => void): () => void;
  /** Calls `onView` when a click on a notification opens a view. The result unsubscribes. */
  onView?(onView: (view: PageView) => void): () => void;
  /** Calls `onCommand` for each command of the native menu. The result unsubscribes. */
  onCommand?(onCommand: (command: PageCommand) => void): () => void;
  /** Calls `onOpenRoot` for each recent root that a person chose in the native menu. The result unsubscribes. */
  onOpenRoot?(onOpenRoot: (path: string) => void): () => void;
}

/** The name of the bridge on `window`. */
export const BRIDGE_NAME = 'dotMiDesktop' as const;
