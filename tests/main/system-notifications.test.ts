import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { areNotificationsSupported, createSystemNotifications } from '../../src/main/system-notifications.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { inProcess, launchOptions } from '../support/electron/around.ts';
import { app, Notification, notified } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';

const create = (isPortable = false) => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  return { show: createSystemNotifications(logger, isPortable), lines };
};
const TEXT = { title: 'Payment received', body: '21 sat' };

beforeEach(() => {
  notified.length = 0;
});

afterEach(() => {
  app.becomeReady();
  delete launchOptions.hasNotifications;
});

const lastId = async () => {
  await eventually(() => expect(notified).not.toEqual([]));
  return notified.at(-1)?.id ?? 0;
};

test('the portable program shows none and doesn’t ask the system, which would write into its registry', () => {
  const asked = vi.spyOn(Notification, 'isSupported');
  expect(create(true).show(TEXT, () => undefined)).toBeUndefined();
  expect([areNotificationsSupported(true), asked.mock.calls, notified]).toEqual([false, [], []]);
  expect(areNotificationsSupported(false)).toBe(true);
});

test('a click on a notification is heard once, and the program can remove one', async () => {
  const { show } = create();
  let clicks = 0;
  const shown = show(TEXT, () => {
    clicks += 1;
  });
  const id = await lastId();
  expect(notified).toEqual([{ kind: 'notification', id, ...TEXT }]);
  await inProcess.ask('notification', id, 'click');
  await inProcess.ask('notification', id, 'click');
  expect(clicks).toBe(1);
  // It is gone already.
  shown?.close();
  show(TEXT, () => undefined)?.close();
  await eventually(() => expect(notified.map(({ kind }) => kind)).toContain('notification-closed'));
  expect(notified).toHaveLength(3);
});

test('a notification that the system refuses is in the log', async () => {
  const { show, lines } = create();
  show(TEXT, () => undefined);
  await inProcess.ask('notification', await lastId(), 'failed', 'the program is not signed');
  expect(lines.join()).toMatch(/the program is not signed.*did not show a notification/);
});

test('a system without notifications gets none, and one that is shown too early breaks nothing', () => {
  const { show, lines } = create();
  launchOptions.hasNotifications = false;
  expect(show(TEXT, () => undefined)).toBeUndefined();
  expect(lines).toEqual([]);
  launchOptions.hasNotifications = true;
  app.becomeUnready();
  expect(show(TEXT, () => undefined)).toBeUndefined();
  expect(lines.join()).toContain('before app is ready');
  expect(notified).toEqual([]);
});
