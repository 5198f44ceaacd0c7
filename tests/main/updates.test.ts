import type { AppUpdater } from 'electron-updater';
import { beforeEach, expect, test, vi } from 'vitest';
import { createUpdates } from '../../src/main/updates.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { app, dialog } from '../support/electron-double.ts';

/** What the updater of a release page was told. Not ours: it stands for electron-updater and the network behind it. */
const startUpdater = (newest: string | Error) => {
  const told: string[] = [];
  const updater = {
    autoDownload: true,
    async checkForUpdates() {
      told.push(`check, autoDownload ${updater.autoDownload}`);
      if (newest instanceof Error) throw newest;
      return { isUpdateAvailable: newest !== '0.1.0', updateInfo: { version: newest } };
    },
    async downloadUpdate() {
      told.push('download');
    },
  };
  const load = vi.fn(async () => updater as object as AppUpdater);
  return { updates: createUpdates(createLogger('silent'), load), load, told };
};

beforeEach(() => {
  dialog.said.length = 0;
  dialog.answer = 1;
  app.isPackaged = true;
});

test('whoever does not agree has no line of the updater run, and nobody is asked', async () => {
  const { updates, load } = startUpdater('0.2.0');
  updates.agree(false);
  await new Promise(setImmediate);
  expect(load).not.toHaveBeenCalled();
});

test('who agreed is asked before anything is fetched', async () => {
  const { updates, told } = startUpdater('0.2.0');
  updates.agree(true);
  await vi.waitFor(() => expect(dialog.said).toEqual(['dot-mi 0.2.0 is there.']));
  expect(told).toEqual(['check, autoDownload false']);
  updates.agree(false);
  dialog.answer = 0;
  await updates.checkNow();
  expect(told).toEqual(['check, autoDownload false', 'check, autoDownload false', 'download']);
});

test('a look by hand says that there is nothing newer, or that it could not be found out', async () => {
  await startUpdater('0.1.0').updates.checkNow();
  await startUpdater(new Error('no network\nheaders: secret')).updates.checkNow();
  expect(dialog.said).toEqual([
    'This is the newest version.',
    'Whether there is a newer version could not be found out.',
  ]);
});

test('a program from the sources asks nobody by itself', async () => {
  app.isPackaged = false;
  const { updates, load } = startUpdater('0.2.0');
  updates.agree(true);
  await new Promise(setImmediate);
  expect(load).not.toHaveBeenCalled();
});
