import { beforeEach, expect, test, vi } from 'vitest';
import { closeWithTimeout } from '../../src/main/close-with-timeout.ts';
import { followLifecycle } from '../../src/main/lifecycle.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { app } from '../support/electron-double.ts';

const follow = () => {
  const lines: string[] = [];
  const closing = Promise.withResolvers<void>();
  let closes = 0;
  followLifecycle({
    show: () => undefined,
    hasOpened: () => true,
    addLink: () => undefined,
    close: () => {
      closes += 1;
      return closing.promise;
    },
    logger: createLogger('info', { write: (line) => lines.push(line) }),
  });
  return { lines, closing, closes: () => closes };
};

const isQuitPrevented = () => {
  let prevented = false;
  app.emit('will-quit', { preventDefault: () => (prevented = true) });
  return prevented;
};

beforeEach(() => {
  app.removeAllListeners();
  app.quits = 0;
});

test('a quit waits for the server and its wallet, and then is one', async () => {
  const { closing, closes, lines } = follow();
  expect(isQuitPrevented()).toBe(true);
  await new Promise(setImmediate);
  expect([closes(), app.quits]).toEqual([1, 0]);
  closing.resolve();
  await vi.waitFor(() => expect(app.quits).toBe(1));
  expect([isQuitPrevented(), closes(), lines]).toEqual([false, 1, []]);
});

test('a server that fails to end is in the log, and holds nobody up', async () => {
  const { closing, lines } = follow();
  expect(isQuitPrevented()).toBe(true);
  closing.reject(new Error('the disk is gone'));
  await vi.waitFor(() => expect(app.quits).toBe(1));
  expect(lines.join()).toMatch(/the disk is gone.*did not stop cleanly/);
});

test('a server that does not end is given up, and the log says so', async () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  await closeWithTimeout(() => new Promise(() => undefined), logger, 1);
  expect(lines.join()).toContain('did not stop in time');
});
