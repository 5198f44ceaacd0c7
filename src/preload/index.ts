import { contextBridge, ipcRenderer } from 'electron';
import {
  BRIDGE_CHANNELS,
  BRIDGE_EVENTS,
  BRIDGE_NAME,
  type DesktopBridge,
  PAGE_COMMANDS,
  type PageView,
  pathOfView,
} from '../shared/desktop-bridge.ts';

// The main process passes the version as an argument, because a sandboxed preload can't read files.
const VERSION_ARGUMENT = '--dot-mi-version=';
const version = process.argv
  .find((argument) => argument.startsWith(VERSION_ARGUMENT))
  ?.slice(VERSION_ARGUMENT.length);

/** Electron's prefix of the sentence that the main process rejected with. */
const REJECTION = /^Error invoking remote method '[^']*': (?:\w*Error: )?/;

const ask = (channel: string, ...input: unknown[]) =>
  ipcRenderer.invoke(channel, ...input).catch((error: unknown) => {
    throw new Error((error instanceof Error ? error.message : String(error)).replace(REJECTION, ''));
  });

const listen = (channel: string, hear: (value: unknown) => void): (() => void) => {
  // SECURITY: the event isn't passed on, because its sender is ipcRenderer.
  const listener = (_event: unknown, value: unknown) => hear(value);
  ipcRenderer.on(channel, listener);
  return () => {
    ipcRenderer.removeListener(channel, listener);
  };
};

const isView = (asked: unknown): asked is PageView =>
  typeof asked === 'string' && pathOfView(asked) !== undefined;

const bridge: Required<DesktopBridge> = {
  version: version ?? '',
  pageToken: () => ask(BRIDGE_CHANNELS.pageToken),
  reveal: (place) => ask(BRIDGE_CHANNELS.reveal, place),
  openInEditor: (place) => ask(BRIDGE_CHANNELS.openInEditor, place),
  runInTerminal: (agent) => ask(BRIDGE_CHANNELS.runInTerminal, agent),
  chooseFolder: () => ask(BRIDGE_CHANNELS.chooseFolder),
  openDataFolder: () => ask(BRIDGE_CHANNELS.openDataFolder),
  openLogs: () => ask(BRIDGE_CHANNELS.openLogs),
  readPreferences: () => ask(BRIDGE_CHANNELS.readPreferences),
  writePreferences: (preferences) => ask(BRIDGE_CHANNELS.writePreferences, preferences),
  readUpdate: () => ask(BRIDGE_CHANNELS.readUpdate),
  answerUpdate: (answer) => ask(BRIDGE_CHANNELS.answerUpdate, answer),
  onUpdate: (onUpdate) => listen(BRIDGE_EVENTS.update, () => onUpdate()),
  readLimits: () => ask(BRIDGE_CHANNELS.readLimits),
  setTheme: (theme) => ask(BRIDGE_CHANNELS.setTheme, theme),
  restart: () => ask(BRIDGE_CHANNELS.restart),
  takeLink: () => ask(BRIDGE_CHANNELS.takeLink),
  onLink: (onLink) => listen(BRIDGE_EVENTS.link, () => onLink()),
  onCommand: (onCommand) =>
    listen(BRIDGE_EVENTS.command, (asked) => {
      const command = PAGE_COMMANDS.find((known) => known === asked);
      if (command) onCommand(command);
    }),
  onView: (onView) =>
    listen(BRIDGE_EVENTS.view, (asked) => {
      if (isView(asked)) onView(asked);
    }),
};

// SECURITY: single functions only. The page never sees ipcRenderer itself.
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
