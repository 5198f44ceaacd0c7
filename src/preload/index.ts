import { contextBridge, ipcRenderer } from 'electron';
import {
  BRIDGE_CHANNELS,
  BRIDGE_EVENTS,
  BRIDGE_NAME,
  type DesktopBridge,
  PAGE_COMMANDS,
} from '../shared/desktop-bridge.ts';

// The main process hands the version over as an argument: a sandboxed preload can read no file.
const VERSION_ARGUMENT = '--dot-mi-version=';
const version = process.argv
  .find((argument) => argument.startsWith(VERSION_ARGUMENT))
  ?.slice(VERSION_ARGUMENT.length);

const listen = (channel: string, hear: (value: unknown) => void): (() => void) => {
  // SECURITY: the event is not handed on; its sender is ipcRenderer.
  const listener = (_event: unknown, value: unknown) => hear(value);
  ipcRenderer.on(channel, listener);
  return () => {
    ipcRenderer.removeListener(channel, listener);
  };
};

const bridge: Required<DesktopBridge> = {
  version: version ?? '',
  operatorToken: () => ipcRenderer.invoke(BRIDGE_CHANNELS.operatorToken),
  reveal: (place) => ipcRenderer.invoke(BRIDGE_CHANNELS.reveal, place),
  openInEditor: (place) => ipcRenderer.invoke(BRIDGE_CHANNELS.openInEditor, place),
  chooseFolder: () => ipcRenderer.invoke(BRIDGE_CHANNELS.chooseFolder),
  openDataFolder: () => ipcRenderer.invoke(BRIDGE_CHANNELS.openDataFolder),
  openLogs: () => ipcRenderer.invoke(BRIDGE_CHANNELS.openLogs),
  readPreferences: () => ipcRenderer.invoke(BRIDGE_CHANNELS.readPreferences),
  writePreferences: (preferences) => ipcRenderer.invoke(BRIDGE_CHANNELS.writePreferences, preferences),
  takeLink: () => ipcRenderer.invoke(BRIDGE_CHANNELS.takeLink),
  onLink: (onLink) => listen(BRIDGE_EVENTS.link, () => onLink()),
  onCommand: (onCommand) =>
    listen(BRIDGE_EVENTS.command, (asked) => {
      const command = PAGE_COMMANDS.find((known) => known === asked);
      if (command) onCommand(command);
    }),
};

// SECURITY: single functions only; the page never sees ipcRenderer itself.
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
