import type { AppUpdater } from 'electron-updater';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUpdates } from '../../src/main/updates.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import type { UpdateState } from '../../src/shared/desktop-bridge.ts';
import { app, dialog } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Release {
  /** The newest version on the release page, or the error of asking for it. Null if the updater can't work. */
  newest: string | Error | null;
  /** Ends a download. Without it, a download ends at once. */
  download?: () => Promise<void>;
  /** Ends a check. Without it, a check ends at once. */
  check?: () => Promise<void>;
  isPortable?: boolean;
}

/** Records the updater's calls. It isn't ours: it stands for electron-updater and the network behind it. */
const startUpdater = ({ newest, download, check, isPortable = false }: Release) => {
  const calls: string[] = [];
  const updater = {
    autoDownload: true,
    async checkForUpdates() {
      calls.push(`check, autoDownload ${updater.autoDownload}`);
      await check?.();
      if (newest instanceof Error) throw newest;
      return newest && { isUpdateAvailable: newest !== '0.1.0', updateInfo: { version: newest } };
    },
    async downloadUpdate() {
      calls.push('download');
      await download?.();
    },
  };
  const load = vi.fn(async () => updater as object as AppUpdater);
  /** The states that the page was told about. */
  const states: UpdateState[] = [];
  const updates = createUpdates({
    logger: createLogger('silent'),
    isPortable,
    onChange: (state) => states.push(state),
    load,
  });
  return { updates, load, calls, states, kinds: () => states.map(({ kind }) => kind) };
};

const AVAILABLE = { kind: 'available', version: '0.2.0', isPortable: false };
const READY = { kind: 'ready', version: '0.2.0' };
const settle = () => new Promise(setImmediate);

beforeEach(() => {
  dialog.said.length = 0;
  app.isPackaged = true;
  app.quits = 0;
});

afterEach(() => {
  vi.useRealTimers();
  // A dialog could stop the main process. The page reports everything.
  expect(dialog.said).toEqual([]);
});

test('without consent, the updater doesn’t run and nothing is checked', async () => {
  const { updates, load, states } = startUpdater({ newest: '0.2.0' });
  updates.agree(false);
  await settle();
  expect(load).not.toHaveBeenCalled();
  expect(states).toEqual([]);
});

test('the page offers a new version before anything is downloaded', async () => {
  const { updates, calls, states } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  await eventually(() => expect(states).toEqual([AVAILABLE]));
  expect(updates.state()).toEqual(AVAILABLE);
  expect(calls).toEqual(['check, autoDownload false']);
  updates.answer('download');
  await eventually(() => expect(updates.state()).toEqual(READY));
  expect(calls).toEqual(['check, autoDownload false', 'download']);
  updates.agree(false);
});

test('a manual check says that it runs, and reports its result', async () => {
  const current = startUpdater({ newest: '0.1.0' });
  await current.updates.checkNow();
  expect(current.kinds()).toEqual(['checking', 'current']);
  const failed = startUpdater({ newest: new Error('no network\nheaders: secret') });
  await failed.updates.checkNow();
  expect(failed.updates.state()).toEqual({ kind: 'check-failed', reason: 'no network.' });
  const unsupported = startUpdater({ newest: null });
  await unsupported.updates.checkNow();
  expect(unsupported.updates.state()).toEqual({ kind: 'unsupported' });
});

test.each([
  ['0.1.0', 'current'],
  [new Error('no network'), 'check-failed'],
])('a manual check that joins the daily one gets its result (%s)', async (newest, result) => {
  const answer = Promise.withResolvers<void>();
  const { updates, calls, kinds } = startUpdater({ newest, check: () => answer.promise });
  updates.agree(true);
  await eventually(() => expect(calls).toHaveLength(1));
  const asked = updates.checkNow();
  answer.resolve();
  await asked;
  expect(kinds()).toEqual(['checking', result]);
  expect(calls).toHaveLength(1);
  updates.agree(false);
});

test('the daily check reports only a new version', async () => {
  for (const newest of ['0.1.0', new Error('no network'), null]) {
    const { updates, calls, states } = startUpdater({ newest });
    updates.agree(true);
    await eventually(() => expect(calls).toHaveLength(1));
    await settle();
    updates.agree(false);
    expect(states).toEqual([]);
  }
});

test('a failed download says why, and the next check offers the version again', async () => {
  const { updates } = startUpdater({
    newest: '0.2.0',
    download: () => Promise.reject(new Error('sha512 checksum mismatch\nheaders: secret')),
  });
  await updates.checkNow();
  updates.answer('download');
  await eventually(() =>
    expect(updates.state()).toEqual({
      kind: 'download-failed',
      version: '0.2.0',
      reason: 'sha512 checksum mismatch.',
    }),
  );
  await updates.checkNow();
  expect(updates.state()).toEqual(AVAILABLE);
  expect(app.quits).toBe(0);
});

test('a check during the download says that it runs, and a second click downloads nothing twice', async () => {
  const end = Promise.withResolvers<void>();
  const { updates, calls } = startUpdater({ newest: '0.2.0', download: () => end.promise });
  await updates.checkNow();
  updates.answer('download');
  updates.answer('download');
  updates.answer('later');
  expect(updates.state()).toEqual({ kind: 'none' });
  await updates.checkNow();
  expect(updates.state()).toEqual({ kind: 'downloading', version: '0.2.0' });
  end.resolve();
  await eventually(() => expect(updates.state()).toEqual(READY));
  expect(calls.filter((call) => call === 'download')).toHaveLength(1);
});

test('a version that waits for the quit is offered again each day and never downloaded twice', async () => {
  vi.useFakeTimers();
  const { updates, calls } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  await vi.advanceTimersByTimeAsync(0);
  updates.answer('later');
  expect(updates.state()).toEqual({ kind: 'none' });
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(updates.state()).toEqual(AVAILABLE);
  updates.answer('install');
  expect(app.quits).toBe(0);
  expect(updates.installsAtEnd()).toBe(false);
  updates.answer('download');
  await vi.advanceTimersByTimeAsync(0);
  updates.answer('later');
  // Later only postpones the restart. The version is still installed at the next quit.
  expect(updates.installsAtEnd()).toBe(true);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(updates.state()).toEqual(READY);
  updates.answer('install');
  expect(app.quits).toBe(1);
  expect(calls.filter((call) => call === 'download')).toHaveLength(1);
  updates.agree(false);
  updates.answer('later');
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(updates.state()).toEqual({ kind: 'none' });
});

test('the portable program reports a new version and downloads nothing, because it can’t replace itself', async () => {
  const { updates, calls } = startUpdater({ newest: '0.2.0', isPortable: true });
  await updates.checkNow();
  expect(updates.state()).toEqual({ ...AVAILABLE, isPortable: true });
  updates.answer('download');
  await settle();
  expect(calls).not.toContain('download');
});

test('a program that runs from the sources checks nothing, and says why when asked', async () => {
  app.isPackaged = false;
  const { updates, load } = startUpdater({ newest: '0.2.0' });
  updates.agree(true);
  await updates.checkNow();
  expect(load).not.toHaveBeenCalled();
  expect(updates.state()).toEqual({ kind: 'not-installed' });
});
