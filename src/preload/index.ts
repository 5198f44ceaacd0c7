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

/** Electron's prefix before the main process's error message. */
const REJECTION = /^Error invoking remote method '[^']*': (?:\w*Error: )?/;

const invoke = (channel: string, ...input: unknown[]) =>
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

const isView = (value: unknown): value is PageView =>
  typeof value === 'string' && pathOfView(value) !== undefined;

const bridge: Required<DesktopBridge> = {
  version: version ?? '',
  pageToken: () => invoke(BRIDGE_CHANNELS.pageToken),
  reveal: (place) => invoke(BRIDGE_CHANNELS.reveal, place),
  openInEditor: (place) => invoke(BRIDGE_CHANNELS.openInEditor, place),
  runInTerminal: (agent) => invoke(BRIDGE_CHANNELS.runInTerminal, agent),
  chooseFolder: () => invoke(BRIDGE_CHANNELS.chooseFolder),
  openDataFolder: () => invoke(BRIDGE_CHANNELS.openDataFolder),
  openLogs: () => invoke(BRIDGE_CHANNELS.openLogs),
  readPreferences: () => invoke(BRIDGE_CHANNELS.readPreferences),
  writePreferences: (preferences) => invoke(BRIDGE_CHANNELS.writePreferences, preferences),
  readUpdate: () => invoke(BRIDGE_CHANNELS.readUpdate),
  answerUpdate: (answer) => invoke(BRIDGE_CHANNELS.answerUpdate, answer),
  onUpdate: (onUpdate) => listen(BRIDGE_EVENTS.update, () => onUpdate()),
  readLimits: () => invoke(BRIDGE_CHANNELS.readLimits),
  setTheme: (theme) => invoke(BRIDGE_CHANNELS.setTheme, theme),
  restart: () => invoke(BRIDGE_CHANNELS.restart),
  explainLosses: (losses) => invoke(BRIDGE_CHANNELS.explainLosses, losses),
  takeLink: () => invoke(BRIDGE_CHANNELS.takeLink),
  onLink: (onLink) => listen(BRIDGE_EVENTS.link, () => onLink()),
  onCommand: (onCommand) =>
    listen(BRIDGE_EVENTS.command, (value) => {
      const command = PAGE_COMMANDS.find((known) => known === value);
      if (command) onCommand(command);
    }),
  onOpenRoot: (onOpenRoot) =>
    listen(BRIDGE_EVENTS.openRoot, (value) => {
      if (typeof value === 'string') onOpenRoot(value);
    }),
  onView: (onView) =>
    listen(BRIDGE_EVENTS.view, (value) => {
      if (isView(value)) onView(value);
    }),
};

// SECURITY: single functions only. The page never sees ipcRenderer itself.
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
