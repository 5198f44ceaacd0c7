import type { BrowserWindow as ElectronWindow } from 'electron';
import type { AppUpdater } from 'electron-updater';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask } from '../../src/main/dialogs.ts';
import { createUpdates } from '../../src/main/updates.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { app, BrowserWindow, dialog } from '../support/electron-double.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Release {
  /** What the release page has; null where the updater cannot work. */
  newest: string | Error | null;
  /** Ends a download; absent, it ends at once. */
  download?: () => Promise<void>;
  /** Ends a look; absent, it ends at once. */
  check?: () => Promise<void>;
  isPortable?: boolean;
}

/** What the updater of a release page was told. Not ours: it stands for electron-updater and the network behind it. */
const startUpdater = ({ newest, download, check, isPortable = false }: Release) => {
  const told: string[] = [];
  const updater = {
    autoDownload: true,
    async checkForUpdates() {
      told.push(`check, autoDownload ${updater.autoDownload}`);
      await check?.();
      if (newest instanceof Error) throw newest;
      return newest && { isUpdateAvailable: newest !== '0.1.0', updateInfo: { version: newest } };
    },
    async downloadUpdate() {
      told.push('download');
      await download?.();
    },
  };
  const load = vi.fn(async () => updater as object as AppUpdater);
  const window = new BrowserWindow() as object as ElectronWindow;
  const host = { logger: createLogger('silent'), isPortable, load };
  return { updates: createUpdates({ ...host, ask: (question) => ask(window, question) }), load, told };
};

const LATER = 1;
const answers = (chosen: Readonly<Record<string, number>>) => {
  dialog.answerTo = (message) => chosen[message] ?? LATER;
};
const said = (...messages: string[]) => vi.waitFor(() => expect(dialog.said).toEqual(messages));
const settle = () => new Promise(setImmediate);

beforeEach(() => {
  dialog.said.length = 0;
  dialog.details.length = 0;
  answers({});
  app.isPackaged = true;
  app.quits = 0;
});

afterEach(() => {
  vi.useRealTimers();
});

test('whoever does not agree has no line of the updater run, and nobody is asked', async () => {
  const { updates, load } = startUpdater({ newest: '0.2.0' });
  updates.agree(false);
  await settle();
  expect(load).not.toHaveBeenCalled();
});

test('who agreed is asked before anything is fetched', async () => {
  const { updates, told } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  await said('dot-mi 0.2.0 is available.');
  expect(told).toEqual(['check, autoDownload false']);
  updates.agree(false);
  answers({ 'dot-mi 0.2.0 is available.': 0 });
  await updates.checkNow();
  expect(told).toEqual(['check, autoDownload false', 'check, autoDownload false', 'download']);
});

test('what a download is checked against is said as it is: a checksum, no signature', async () => {
  await startUpdater({ newest: '0.2.0' }).updates.checkNow();
  expect(dialog.details.join()).toMatch(/You have 0\.1\.0\..*checksum/);
  expect(dialog.details.join()).not.toMatch(/sign|verif|trust/i);
});

test('a look by hand says that there is nothing newer, or that it could not be found out', async () => {
  await startUpdater({ newest: '0.1.0' }).updates.checkNow();
  await startUpdater({ newest: new Error('no network\nheaders: secret') }).updates.checkNow();
  await startUpdater({ newest: null }).updates.checkNow();
  expect(dialog.said).toEqual([
    'dot-mi is up to date.',
    'dot-mi couldn’t check for updates.',
    'This copy of dot-mi can’t update itself.',
  ]);
  expect(dialog.details.join()).not.toContain('secret');
});

test.each([
  ['0.1.0', 'dot-mi is up to date.'],
  [new Error('no network'), 'dot-mi couldn’t check for updates.'],
])('a look by hand that joins the daily one is told its result (%s)', async (newest, result) => {
  const answer = Promise.withResolvers<void>();
  const { updates, told } = startUpdater({ newest, check: () => answer.promise });
  updates.agree(true);
  await vi.waitFor(() => expect(told).toHaveLength(1));
  const asked = updates.checkNow();
  answer.resolve();
  await asked;
  expect(dialog.said).toEqual([result]);
  expect(told).toHaveLength(1);
  updates.agree(false);
});

test('the daily look keeps to itself what is no news', async () => {
  for (const newest of ['0.1.0', new Error('no network'), null]) {
    const { updates, told } = startUpdater({ newest });
    updates.agree(true);
    await vi.waitFor(() => expect(told).toHaveLength(1));
    await settle();
    updates.agree(false);
  }
  expect(dialog.said).toEqual([]);
});

test('a download that fails says why and what to do, and the next look offers it again', async () => {
  answers({ 'dot-mi 0.2.0 is available.': 0 });
  const { updates } = startUpdater({
    newest: '0.2.0',
    download: () => Promise.reject(new Error('sha512 checksum mismatch\nheaders: secret')),
  });
  await updates.checkNow();
  await said('dot-mi 0.2.0 is available.', 'dot-mi couldn’t download version 0.2.0.');
  expect(dialog.details.at(-1)).toMatch(/sha512 checksum mismatch\n.*Nothing changed.*Check for Updates/s);
  expect(dialog.details.at(-1)).not.toContain('secret');
  answers({});
  await updates.checkNow();
  expect(dialog.said.at(-1)).toBe('dot-mi 0.2.0 is available.');
  expect(app.quits).toBe(0);
});

test('who looks while it is being downloaded is told so, and it is not fetched twice', async () => {
  answers({ 'dot-mi 0.2.0 is available.': 0 });
  const end = Promise.withResolvers<void>();
  const { updates, told } = startUpdater({ newest: '0.2.0', download: () => end.promise });
  await updates.checkNow();
  await updates.checkNow();
  expect(dialog.said).toEqual(['dot-mi 0.2.0 is available.', 'dot-mi 0.2.0 is downloading.']);
  end.resolve();
  await vi.waitFor(() => expect(dialog.said.at(-1)).toBe('dot-mi 0.2.0 is ready to install.'));
  expect(told.filter((what) => what === 'download')).toHaveLength(1);
});

test('what is downloaded and put off is offered again each day, one question at a time, and not fetched again', async () => {
  vi.useFakeTimers();
  const answer = Promise.withResolvers<number>();
  dialog.answerTo = (message) => (message === 'dot-mi 0.2.0 is available.' ? 0 : answer.promise);
  const { updates, told } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  // The question stays on the screen over the next day.
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(dialog.said).toEqual(['dot-mi 0.2.0 is available.', 'dot-mi 0.2.0 is ready to install.']);
  answer.resolve(LATER);
  await vi.advanceTimersByTimeAsync(0);
  expect(app.quits).toBe(0);

  answers({ 'dot-mi 0.2.0 is ready to install.': 0 });
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(dialog.said.slice(2)).toEqual(['dot-mi 0.2.0 is ready to install.']);
  expect(app.quits).toBe(1);
  expect(told.filter((what) => what === 'download')).toHaveLength(1);
  updates.agree(false);
});

test('an offer that is put off comes again the next day', async () => {
  vi.useFakeTimers();
  const { updates } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(dialog.said).toEqual(['dot-mi 0.2.0 is available.', 'dot-mi 0.2.0 is available.']);
  updates.agree(false);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(dialog.said).toHaveLength(2);
});

test('the portable program is told of, and fetches nothing: it cannot replace itself', async () => {
  answers({ 'dot-mi 0.2.0 is available.': 0 });
  const { updates, told } = startUpdater({ newest: '0.2.0', isPortable: true });
  await updates.checkNow();
  await settle();
  expect(dialog.said).toEqual(['dot-mi 0.2.0 is available.']);
  expect(dialog.details.join()).toContain('Download the new one');
  expect(told).not.toContain('download');
});

test('a program from the sources asks nobody: not by itself, and by hand it says why', async () => {
  app.isPackaged = false;
  const { updates, load } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  await updates.checkNow();
  expect(load).not.toHaveBeenCalled();
  expect(dialog.said).toEqual(['Only the installed program can check for updates.']);
});
