import { contextBridge, ipcRenderer } from 'electron';
import { BRIDGE_CHANNELS, BRIDGE_NAME, type DesktopBridge } from '../shared/desktop-bridge.ts';

// The main process hands the version over as an argument: a sandboxed preload can read no file.
const VERSION_ARGUMENT = '--dot-mi-version=';
const version = process.argv
  .find((argument) => argument.startsWith(VERSION_ARGUMENT))
  ?.slice(VERSION_ARGUMENT.length);

const bridge: DesktopBridge = {
  version: version ?? '',
  operatorToken: () => ipcRenderer.invoke(BRIDGE_CHANNELS.operatorToken),
  reveal: (place) => ipcRenderer.invoke(BRIDGE_CHANNELS.reveal, place),
  openInEditor: (place) => ipcRenderer.invoke(BRIDGE_CHANNELS.openInEditor, place),
  chooseFolder: () => ipcRenderer.invoke(BRIDGE_CHANNELS.chooseFolder),
  openDataFolder: () => ipcRenderer.invoke(BRIDGE_CHANNELS.openDataFolder),
};

// SECURITY: single functions only; the page never sees ipcRenderer itself.
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
