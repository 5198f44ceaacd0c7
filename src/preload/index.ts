import { contextBridge, ipcRenderer } from 'electron';
import { BRIDGE_CHANNELS, BRIDGE_NAME, type DesktopBridge } from '../shared/desktop-bridge.ts';

// The main process hands the version over as an argument: a sandboxed preload can read no file.
const VERSION_ARGUMENT = '--dot-mi-version=';
const version = process.argv
  .find((argument) => argument.startsWith(VERSION_ARGUMENT))
  ?.slice(VERSION_ARGUMENT.length);

const bridge: DesktopBridge = {
  version: version ?? '',
  operatorToken: () => ipcRenderer.invoke(BRIDGE_CHANNELS.operatorToken) as Promise<string>,
};

// SECURITY: single functions only; the page never sees ipcRenderer itself.
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
