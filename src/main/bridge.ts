import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { dialog, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import { z } from 'zod';
import { EDITABLE_FILES, isAgentId } from '../shared/api/names.ts';
import { BRIDGE_CHANNELS, type DiskPlace } from '../shared/desktop-bridge.ts';

const placeSchema = z.strictObject({
  agent: z.string().refine(isAgentId),
  file: z.enum(EDITABLE_FILES).optional(),
}) satisfies z.ZodType<DiskPlace>;

/** What the bridge tells the page and acts on; asked at each call, since settings change while the program runs. */
export interface BridgeHost {
  /** The only origin that is answered. */
  origin(): string;
  operatorToken(): string;
  rootPath(): string;
  dataDirectory(): string;
}

/** Answers what the preload asks, for our own page only. */
export const answerBridge = (host: BridgeHost): void => {
  const answer = (channel: string, act: (input: unknown) => unknown) => {
    ipcMain.handle(channel, (event: IpcMainInvokeEvent, input: unknown) => {
      // SECURITY: a frame of another origin must not get the token that moves money, nor reach the disk.
      const frame = event.senderFrame;
      if (!frame || frame.parent !== null || new URL(frame.url).origin !== host.origin())
        throw new Error('not for this frame');
      return act(input);
    });
  };
  const pathOf = ({ agent, file }: DiskPlace) => join(host.rootPath(), 'agents', agent, file ?? '');

  const open = async (path: string) => {
    const problem = await shell.openPath(path);
    if (problem !== '') throw new Error(problem);
  };

  answer(BRIDGE_CHANNELS.operatorToken, () => host.operatorToken());
  answer(BRIDGE_CHANNELS.reveal, (input) => shell.showItemInFolder(pathOf(placeSchema.parse(input))));
  answer(BRIDGE_CHANNELS.openInEditor, async (input) => {
    const path = pathOf(placeSchema.required().parse(input));
    // SECURITY: behind a link there could be a program, which opening would start.
    if (!(await lstat(path)).isFile()) throw new Error('This is no ordinary file.');
    await open(path);
  });
  answer(BRIDGE_CHANNELS.chooseFolder, async () => {
    const { canceled, filePaths } = await dialog.showOpenDialog({ properties: ['openDirectory'] });
    return canceled ? null : (filePaths[0] ?? null);
  });
  answer(BRIDGE_CHANNELS.openDataFolder, () => open(host.dataDirectory()));
};
