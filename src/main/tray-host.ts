import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

/** A desktop that is starting up answers late. Without an answer, closing the window would end the program. */
const ASK_TIMEOUT_MS = 10_000;

// The desktop's part that shows tray icons (freedesktop.org, "StatusNotifierItem").
const WATCHER = 'org.kde.StatusNotifierWatcher';
const PATH = '/StatusNotifierWatcher';
const PROPERTY = 'IsStatusNotifierHostRegistered';
const GET = 'org.freedesktop.DBus.Properties.Get';

/** Programs that ask D-Bus for that property, with their arguments. Desktops have at least one of them. */
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

/** The full path of a program, or undefined if it isn't in one of the directories. */
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
 * Whether the desktop shows tray icons. Always true on macOS and Windows. On Linux, GNOME has no tray unless an
 * extension adds one, and Electron doesn't report that. `searchPath` is the PATH. Never rejects.
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
    // It fails if nothing has the watcher's name.
    const answer = await promisify(execFile)(program, args, { timeout: ASK_TIMEOUT_MS }).catch(
      () => undefined,
    );
    return /\btrue\b/.test(answer?.stdout ?? '');
  }
  return false;
};
