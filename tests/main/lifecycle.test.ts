import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeWithTimeout, followLifecycle } from '../../src/main/lifecycle.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { app, BrowserWindow } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';

const follow = () => {
  const lines: string[] = [];
  const closing = Promise.withResolvers<void>();
  let closes = 0;
  const recorded: string[] = [];
  const lifecycle = followLifecycle({
    show: () => recorded.push('show'),
    hasOpened: () => true,
    addLink: (link) => recorded.push(link),
    keepLinks: async () => void recorded.push('keep links'),
    startAgain: () => recorded.push('start again'),
    close: () => {
      closes += 1;
      return closing.promise;
    },
    logger: createLogger('info', { write: (line) => lines.push(line) }),
  });
  return { lines, closing, lifecycle, recorded, closes: () => closes };
};

const isQuitPrevented = () => {
  let prevented = false;
  app.emit('will-quit', { preventDefault: () => (prevented = true) });
  return prevented;
};

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

beforeEach(() => {
  app.removeAllListeners();
  app.exits.length = 0;
  app.quits = 0;
});

afterEach(() => {
  for (const signal of SIGNALS) process.removeAllListeners(signal);
});

test('a quit waits for the server and its wallet, and then completes', async () => {
  const { closing, closes, lines } = follow();
  expect(isQuitPrevented()).toBe(true);
  await new Promise(setImmediate);
  expect([closes(), app.quits]).toEqual([1, 0]);
  closing.resolve();
  await eventually(() => expect(app.quits).toBe(1));
  expect([isQuitPrevented(), closes(), lines]).toEqual([false, 1, []]);
});

test('a quit that has nothing to wait for goes on in another turn, because Electron ignores it in its own shutdown', async () => {
  const { closing } = follow();
  closing.resolve();
  expect(isQuitPrevented()).toBe(true);
  // After the promises that settle within Electron's event.
  await new Promise(process.nextTick);
  expect(app.quits).toBe(0);
  await eventually(() => expect(app.quits).toBe(1));
});

test('a server that fails to end is in the log, and doesn’t block the quit', async () => {
  const { closing, lines } = follow();
  expect(isQuitPrevented()).toBe(true);
  closing.reject(new Error('the disk is gone'));
  await eventually(() => expect(app.quits).toBe(1));
  expect(lines.join()).toMatch(/the disk is gone.*did not stop cleanly/);
});

test('a server that does not end is abandoned, and the log says so', async () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });
  await closeWithTimeout(() => new Promise(() => undefined), logger, 1);
  expect(lines.join()).toContain('did not stop in time');
});

test('a launch and a link while the server ends show no window, and start the program again at its end', async () => {
  const { closing, recorded } = follow();
  expect(isQuitPrevented()).toBe(true);
  app.emit('second-instance', {}, ['dot-mi'], '', { link: 'cashu:a' });
  app.emit('second-instance', {}, ['dot-mi'], '', {});
  app.emit('open-url', { preventDefault: () => undefined }, 'cashu:b');
  expect(recorded).toEqual(['cashu:a', 'cashu:b']);
  closing.resolve();
  await eventually(() => expect(app.quits).toBe(1));
  expect(recorded.slice(2)).toEqual(['keep links', 'start again']);
  expect(isQuitPrevented()).toBe(false);
});

test('a launch before the server ends shows the window, and nothing starts again', async () => {
  const { closing, recorded } = follow();
  app.emit('before-quit', {});
  app.emit('second-instance', {}, ['dot-mi'], '', {});
  expect(isQuitPrevented()).toBe(true);
  closing.resolve();
  await eventually(() => expect(app.quits).toBe(1));
  expect(recorded).toEqual(['show', 'keep links']);
});

test('Windows waits for the server when the session ends, and when Windows no longer waits, the server ends without a question', async () => {
  const { closing, closes, lifecycle, recorded } = follow();
  const window = new BrowserWindow();
  lifecycle.followSession(window as unknown as Electron.BrowserWindow);
  let prevented = 0;
  const ask = () =>
    window.emit('query-session-end', { reasons: ['logoff'], preventDefault: () => (prevented += 1) });
  ask();
  expect([prevented, app.quits, closes()]).toEqual([1, 1, 0]);
  // The page holds a token that isn't received, so the quit goes no further.
  window.emit('session-end', { reasons: ['logoff'] });
  await new Promise(setImmediate);
  expect([app.quits, closes()]).toEqual([2, 1]);
  app.emit('second-instance', {}, ['dot-mi'], '', {});
  expect(isQuitPrevented()).toBe(true);
  closing.resolve();
  await eventually(() => expect(app.quits).toBe(3));
  // A new program would be ended with the session.
  expect(recorded).toEqual(['keep links']);
  ask();
  expect([prevented, closes()]).toEqual([1, 1]);
});

test('a second signal while a person is asked ends the program in order, with its links kept', async () => {
  const before = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)));
  const { closing, closes, recorded } = follow();
  await eventually(() => expect(process.listenerCount('SIGTERM')).toBeGreaterThan(0));
  const send = () => {
    for (const listener of process.listeners('SIGTERM'))
      if (!before.has(listener)) Reflect.apply(listener, process, ['SIGTERM']);
  };
  send();
  expect([app.quits, closes(), app.exits]).toEqual([1, 0, []]);
  send();
  send();
  closing.resolve();
  await eventually(() => expect(app.exits[0]).toBe(0));
  expect([app.quits, closes(), recorded]).toEqual([1, 1, ['keep links']]);
});

test('a helper process that ends on its own is in the log', () => {
  const { lines } = follow();
  app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 11 });
  app.emit('child-process-gone', {}, { type: 'Utility', reason: 'clean-exit', exitCode: 0 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/"type":"GPU","reason":"crashed","exitCode":11.*a helper process ended/);
});
