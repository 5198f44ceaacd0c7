import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { app, BrowserWindow, clipboard, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import { z } from 'zod';
import { opensAsText } from '../pi/entry-roles.ts';
import { requireAgent } from '../server/platform/agent-directory.ts';
import { AppError, isNotFound } from '../server/platform/app-error.ts';
import { createRoot } from '../server/platform/root.ts';
import { EDITABLE_FILES, isAgentId, isEntryName } from '../shared/api/names.ts';
import {
  type AgentPath,
  BRIDGE_CHANNELS,
  type DesktopLimits,
  LOSSES,
  type Loss,
  type OpenableFile,
  THEMES,
  type Theme,
  UPDATE_ANSWERS,
} from '../shared/desktop-bridge.ts';
import { chooseFolder } from './dialogs.ts';
import { type PreferenceStore, preferencesSchema } from './preferences.ts';
import type { AgentRunner } from './run-agent.ts';
import { webOriginOf } from './security.ts';
import { findOnPath } from './terminal.ts';
import type { Updates } from './updates.ts';

const ANY_EXECUTE_BIT = 0o111;

/**
 * Returns the path of an agent, or of one entry in its directory. Throws a readable error if the agent isn't a real
 * directory in the root, and `root_unavailable`.
 */
const agentPath = async (rootPath: string, { agent, file, entry }: AgentPath): Promise<string> => {
  const root = createRoot(rootPath);
  // SECURITY: a linked agent, or a linked folder of agents, would point outside the root.
  await requireAgent(root, agent).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'agent_not_found')
      throw new Error(`The root has no agent named “${agent}”.`);
    throw error;
  });
  return join(root.agent(agent), file ?? entry ?? '');
};

/** Returns the path of a file that only an editor will open. Throws a readable error if the system could run it. */
export const textFilePath = async (
  rootPath: string,
  place: OpenableFile,
  platform: NodeJS.Platform = process.platform,
): Promise<string> => {
  const path = await agentPath(rootPath, place);
  const name = 'file' in place ? place.file : place.entry;
  const stats = await lstat(path).catch((error: unknown) => {
    if (isNotFound(error)) throw new Error(`${name} of ${place.agent} no longer exists.`);
    throw error;
  });
  // SECURITY: a link could point to a program, which opening would start.
  if (!stats.isFile()) throw new Error(`${name} of ${place.agent} is not a regular file.`);
  // SECURITY: in Terminal, macOS runs a file without an extension if its mode allows execution.
  if (platform === 'darwin' && (stats.mode & ANY_EXECUTE_BIT) !== 0)
    throw new Error(
      `dot-mi didn’t open ${name}, because macOS would run it as a program. Remove its execute permission (chmod -x), then open it again.`,
    );
  return path;
};

const agent = z.string().refine(isAgentId);
/** SECURITY: one name in the agent's directory, so it can't point outside. */
const entry = z.string().refine((name) => isEntryName(name.replace(/^\.(?=[^.])/, '')));

const placeSchema = z.strictObject({
  agent,
  file: z.enum(EDITABLE_FILES).optional(),
  entry: entry.optional(),
}) satisfies z.ZodType<AgentPath>;

const openableSchema = z.union([
  z.strictObject({ agent, file: z.enum(EDITABLE_FILES) }),
  // SECURITY: opening a script or a shortcut would run it.
  z.strictObject({ agent, entry: entry.refine(opensAsText) }),
]) satisfies z.ZodType<OpenableFile>;

/** The program state behind the bridge. Read at each call, because settings change while the program runs. */
interface BridgeHost {
  /** Returns the only origin that gets responses. */
  origin(): string;
  pageToken(): string;
  rootPath(): string;
  dataDirectory(): string;
  logDirectory: string;
  preferences: PreferenceStore;
  readLimits(): Promise<DesktopLimits>;
  setTheme(theme: Theme): void;
  restart(): void;
  explainLosses(losses: readonly Loss[]): void;
  takeLink(): string | null;
  hasFileManager(): Promise<boolean>;
  updates: Pick<Updates, 'state' | 'answer'>;
  runAgent: AgentRunner;
}

/** Opens a file or folder with the system's default program. Throws the system's sentence on failure. */
const openPath = async (path: string): Promise<void> => {
  const problem = await shell.openPath(path);
  if (problem !== '') throw new Error(problem);
};

/** Opens a folder. If no program does, copies its path and throws a sentence that says so. */
export const openFolder = async (path: string): Promise<void> => {
  try {
    await openPath(path);
  } catch (cause) {
    await clipboard.writeText(path);
    throw new Error(
      `No program on this computer can open ${path}. dot-mi copied the path, so you can paste it elsewhere.`,
      {
        cause,
      },
    );
  }
};

const ASK_DESKTOP_TIMEOUT_MS = 5_000;

/**
 * Returns whether the desktop has a file manager. Always true on macOS and Windows. On Linux, Electron doesn't report that
 * none opened. `searchPath` is the PATH. Never rejects.
 */
export const hasFileManager = async (
  searchPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> => {
  if (platform !== 'linux') return true;
  const program = await findOnPath('xdg-mime', searchPath);
  if (program === undefined) return false;
  const response = await promisify(execFile)(program, ['query', 'default', 'inode/directory'], {
    timeout: ASK_DESKTOP_TIMEOUT_MS,
  }).catch(() => undefined);
  return (response?.stdout ?? '').trim() !== '';
};

/** Handles the preload's requests, only for our own page. */
export const answerBridge = (host: BridgeHost): void => {
  type Act<T> = (input: T, window: BrowserWindow | null) => unknown;
  const handle = <T>(channel: string, input: z.ZodType<T>, act: Act<T>) => {
    ipcMain.handle(channel, (event: IpcMainInvokeEvent, ...args: unknown[]) => {
      // SECURITY: a frame of another origin must not get the token that moves money, nor access the disk.
      const frame = event.senderFrame;
      if (!frame || frame.parent !== null || webOriginOf(frame.url) !== host.origin())
        throw new Error('not for this frame');
      if (args.length > 1) throw new Error('too many arguments');
      return act(input.parse(args[0]), BrowserWindow.fromWebContents(event.sender));
    });
  };
  const nothing = z.undefined();

  handle(BRIDGE_CHANNELS.pageToken, nothing, () => host.pageToken());
  handle(BRIDGE_CHANNELS.reveal, placeSchema, async (place) => {
    const path = await agentPath(host.rootPath(), place);
    if (await host.hasFileManager()) shell.showItemInFolder(path);
    else await openFolder(dirname(path));
  });
  handle(BRIDGE_CHANNELS.openInEditor, openableSchema, async (place) =>
    openPath(await textFilePath(host.rootPath(), place)),
  );
  handle(BRIDGE_CHANNELS.runInTerminal, z.string().refine(isAgentId), (agent, window) => {
    if (!window) throw new Error('The window is closed.');
    return host.runAgent(agent, window);
  });
  handle(BRIDGE_CHANNELS.chooseFolder, nothing, (_input, window) => {
    const root = host.rootPath();
    // Start next to the current root, because other roots are likely to be there.
    return window && chooseFolder(window, root === '' ? app.getPath('home') : dirname(root));
  });
  handle(BRIDGE_CHANNELS.openDataFolder, nothing, () => openFolder(host.dataDirectory()));
  handle(BRIDGE_CHANNELS.openLogs, nothing, () => openFolder(host.logDirectory));
  handle(BRIDGE_CHANNELS.readPreferences, nothing, () => host.preferences.read());
  handle(BRIDGE_CHANNELS.writePreferences, preferencesSchema, (next) => host.preferences.write(next));
  handle(BRIDGE_CHANNELS.readLimits, nothing, () => host.readLimits());
  handle(BRIDGE_CHANNELS.setTheme, z.enum(THEMES), (theme) => host.setTheme(theme));
  handle(BRIDGE_CHANNELS.restart, nothing, () => host.restart());
  handle(BRIDGE_CHANNELS.explainLosses, z.array(z.enum(LOSSES)).max(LOSSES.length), (losses) =>
    host.explainLosses(losses),
  );
  handle(BRIDGE_CHANNELS.takeLink, nothing, () => host.takeLink());
  handle(BRIDGE_CHANNELS.readUpdate, nothing, () => host.updates.state());
  handle(BRIDGE_CHANNELS.answerUpdate, z.enum(UPDATE_ANSWERS), (given) => host.updates.answer(given));
};
