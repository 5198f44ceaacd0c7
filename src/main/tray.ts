import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { app, Menu, nativeImage, Tray } from 'electron';
import { RESOURCES_DIRECTORY } from '../server/locations.ts';
import type { WaitingAgent } from '../server/status/status.service.ts';

/** Desktops respond late during startup. Without a response, closing the window would quit the program. */
const ASK_TRAY_TIMEOUT_MS = 10_000;

// The part of the desktop that shows tray icons (freedesktop.org, "StatusNotifierItem").
const WATCHER = 'org.kde.StatusNotifierWatcher';
const PATH = '/StatusNotifierWatcher';
const PROPERTY = 'IsStatusNotifierHostRegistered';
const GET = 'org.freedesktop.DBus.Properties.Get';

/** Commands that read the watcher's property from D-Bus. Every desktop has at least one of them. */
const ASKERS: readonly (readonly [program: string, ...args: string[]])[] = [
  [
    'gdbus',
    'call',
    '--session',
    '--dest',
    WATCHER,
    '--object-path',
    PATH,
    '--method',
    GET,
    WATCHER,
    PROPERTY,
  ],
  [
    'dbus-send',
    '--session',
    '--print-reply',
    `--dest=${WATCHER}`,
    PATH,
    GET,
    `string:${WATCHER}`,
    `string:${PROPERTY}`,
  ],
  ['busctl', '--user', 'get-property', WATCHER, PATH, WATCHER, PROPERTY],
];

/** Returns a program's full path, or undefined if it isn't in one of the directories. */
const findProgram = async (name: string, directories: readonly string[]): Promise<string | undefined> => {
  for (const directory of directories) {
    const path = join(directory, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
};

/**
 * Returns whether the desktop shows tray icons. Always true on macOS and Windows. On Linux, GNOME has no tray unless
 * an extension adds one, and Electron doesn't report that. `searchPath` is the PATH. Never rejects.
 */
export const hasTray = async (
  searchPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> => {
  if (platform !== 'linux') return true;
  // SECURITY: a relative entry would find programs in whatever folder we were started from.
  const directories = searchPath.split(delimiter).filter((directory) => isAbsolute(directory));
  for (const [name, ...args] of ASKERS) {
    const program = await findProgram(name, directories);
    if (program === undefined) continue;
    // Fails if nothing has the watcher's name.
    const response = await promisify(execFile)(program, args, { timeout: ASK_TRAY_TIMEOUT_MS }).catch(
      () => undefined,
    );
    return /\btrue\b/.test(response?.stdout ?? '');
  }
  return false;
};

/** The tray's actions. */
interface TrayHost {
  show(): void;
  /** Shows an agent's page. */
  showAgent(agent: string): void;
  /** Brings an agent's terminal to the front. */
  showTerminal(agent: string): void;
  /** Returns the API's address, for the tooltip. */
  url(): string;
  /** Resolves to true if the desktop shows tray icons. */
  hasTray(): Promise<boolean>;
  /** Called if the system refuses the icon after all. Closing the window then quits the program. */
  onRefused(error: unknown): void;
}

/** The icon in the tray, visible while it's wanted and the desktop has a tray. */
export interface TrayIcon {
  isThere(): boolean;
  want(wanted: boolean): void;
  /** Lists the waiting agents in the menu. */
  nameWaiting(agents: readonly WaitingAgent[]): void;
  /** Checks whether the desktop has a tray now, and shows or removes the icon. */
  look(): Promise<boolean>;
  /**
   * Waits until the icon appears. Returns false if it isn't wanted, or after `timeoutMs`. At login, this program may
   * start before the desktop's tray.
   */
  appears(timeoutMs: number): Promise<boolean>;
}

const LOOK_AGAIN_MS = 1_000;
/** How many agents the menu lists. */
const MOST_NAMED = 8;

// macOS tints a template image for its menu bar. Windows picks the size for its scale from an .ico. The other
// images have an @2x version next to them.
const IMAGES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'trayTemplate.png',
  win32: 'tray.ico',
};
const imagePath = join(RESOURCES_DIRECTORY, 'tray', IMAGES[process.platform] ?? 'tray.png');

const waitingText = (agents: readonly WaitingAgent[]): string =>
  agents.length === 1
    ? `${agents[0]?.agent} is waiting for you`
    : `${agents.length} agents are waiting for you`;

/** Shows and removes the icon. */
export const createTrayIcon = (host: TrayHost): TrayIcon => {
  // Keep a reference, because Electron removes the icon of a garbage-collected tray.
  let tray: Tray | undefined;

  let waiting: readonly WaitingAgent[] = [];
  const updateMenu = () => {
    const items = waiting.slice(0, MOST_NAMED).map(({ agent, canShow }) => {
      const label = `${agent} is waiting for you`;
      const showPage = () => host.showAgent(agent);
      if (!canShow) return { label, click: showPage };
      const submenu = [
        { label: 'Show its terminal', click: () => host.showTerminal(agent) },
        { label: 'Open its page', click: showPage },
      ];
      return { label, submenu };
    });
    tray?.setToolTip(waiting.length > 0 ? `dot-mi: ${waitingText(waiting)}` : `dot-mi: ${host.url()}`);
    // Needed on Linux, where a menu can't change once it's set.
    tray?.setContextMenu(
      Menu.buildFromTemplate([
        ...items,
        ...(items.length > 0 ? [{ type: 'separator' as const }] : []),
        { label: 'Open dot-mi', click: () => host.show() },
        // Don't use the `quit` role, because some Linux trays don't show items with roles.
        { label: 'Quit dot-mi', click: () => app.quit() },
      ]),
    );
  };
  const appear = () => {
    tray = new Tray(nativeImage.createFromPath(imagePath));
    updateMenu();
    // On macOS, a click already opens the menu.
    if (process.platform !== 'darwin') tray.on('click', () => host.show());
  };

  let isWanted = false;
  let isAvailable = false;
  const update = () => {
    const isShown = isWanted && isAvailable;
    if (isShown === (tray !== undefined)) return;
    tray?.destroy();
    tray = undefined;
    if (!isShown) return;
    try {
      appear();
    } catch (error) {
      tray = undefined;
      isAvailable = false;
      host.onRefused(error);
    }
  };
  const look = async () => {
    isAvailable = await host.hasTray();
    update();
    return isAvailable;
  };

  return {
    isThere: () => tray !== undefined,
    want(wanted) {
      isWanted = wanted;
      if (isWanted && !isAvailable) void look();
      else update();
    },
    nameWaiting(agents) {
      waiting = agents;
      updateMenu();
    },
    look,
    async appears(timeoutMs) {
      const untilMs = Date.now() + timeoutMs;
      while (isWanted && !(await look()) && Date.now() < untilMs) await delay(LOOK_AGAIN_MS);
      return tray !== undefined;
    },
  };
};
