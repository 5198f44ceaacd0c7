import type { BrowserWindow as ElectronWindow } from 'electron';
import { beforeEach, expect, test } from 'vitest';
import { surviveCrashes } from '../../src/main/page-window.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { BrowserWindow, dialog } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';

const AGAIN = 0;
const WAIT = 1;

const openPage = () => {
  const window = new BrowserWindow({});
  let nowMs = 0;
  surviveCrashes(window as object as ElectronWindow, createLogger('silent'), () => nowMs);
  const { webContents } = window;
  return {
    window,
    asked: webContents.asked,
    goes: (reason: string) => webContents.emit('render-process-gone', {}, { reason, exitCode: 9 }),
    webContents,
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
};

beforeEach(() => {
  dialog.said.length = 0;
});

test.each(['crashed', 'killed', 'oom', 'abnormal-exit', 'launch-failed'])(
  'a page with a crashed process (%s) is reloaded, and nobody is asked',
  (reason) => {
    const { asked, goes } = openPage();
    goes(reason);
    expect([asked, dialog.said]).toEqual([['reload'], []]);
  },
);

test('a page that ended normally is not reloaded', () => {
  const { asked, goes } = openPage();
  goes('clean-exit');
  expect([asked, dialog.said]).toEqual([[], []]);
});

test('a second crash within half a minute asks first, and a later one doesn’t', async () => {
  const { asked, goes, wait } = openPage();
  dialog.answer = WAIT;
  goes('crashed');
  goes('killed');
  expect([asked, dialog.said]).toEqual([['reload'], ['The page crashed again.']]);
  wait(30_000);
  goes('crashed');
  expect([asked, dialog.said]).toEqual([['reload', 'reload'], ['The page crashed again.']]);
});

test('a page that does not respond is ended before it is reloaded, and that doesn’t count as a crash', async () => {
  const { asked, goes, webContents } = openPage();
  dialog.answer = AGAIN;
  webContents.emit('unresponsive');
  await eventually(() => expect(asked).toEqual(['end', 'reload']));
  // A system reports it some time later.
  goes('killed');
  webContents.emit('did-finish-load');
  expect([asked, dialog.said]).toEqual([['end', 'reload'], ['The page isn’t responding.']]);
  // It was none of the crashes that are counted, and hides none.
  goes('crashed');
  expect([asked, dialog.said]).toEqual([['end', 'reload', 'reload'], ['The page isn’t responding.']]);
});

test('a page that the operator waits for is left alone, with one question at a time', async () => {
  const { asked, webContents } = openPage();
  dialog.answer = WAIT;
  webContents.emit('unresponsive');
  webContents.emit('unresponsive');
  await new Promise(setImmediate);
  expect([asked, dialog.said]).toEqual([[], ['The page isn’t responding.']]);
  webContents.emit('unresponsive');
  expect(dialog.said).toHaveLength(2);
});

test('a window that refused to close doesn’t count as a page that hangs', async () => {
  const { asked, window } = openPage();
  window.emit('unresponsive');
  await new Promise(setImmediate);
  expect([asked, dialog.said]).toEqual([[], []]);
});

test('a page that crashed while it was asked about is not ended again', async () => {
  const { asked, goes, webContents } = openPage();
  dialog.answer = AGAIN;
  webContents.emit('unresponsive');
  webContents.crashed = true;
  goes('crashed');
  await eventually(() => expect(asked).toEqual(['reload', 'reload']));
});

test('a page that crashes again while the operator decides to wait asks after all', async () => {
  const { asked, goes, webContents } = openPage();
  dialog.answer = WAIT;
  goes('crashed');
  webContents.emit('unresponsive');
  webContents.crashed = true;
  goes('crashed');
  await eventually(() =>
    expect(dialog.said).toEqual(['The page isn’t responding.', 'The page crashed again.']),
  );
  expect(asked).toEqual(['reload']);
});
