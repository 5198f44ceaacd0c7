import { ipcMain } from 'electron';
import { BRIDGE_CHANNELS } from '../shared/desktop-bridge.ts';

/** Answers what the preload asks, for our own page only. */
export const answerBridge = (origin: string, operatorToken: string): void => {
  ipcMain.handle(BRIDGE_CHANNELS.operatorToken, (event) => {
    // SECURITY: a frame of another origin must not get the token that moves money.
    const frame = event.senderFrame;
    if (!frame || frame.parent !== null || new URL(frame.url).origin !== origin)
      throw new Error('not for this frame');
    return operatorToken;
  });
};
