import type { BrowserWindow as ElectronWindow } from 'electron';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask, askAlone, chooseFolder } from '../../src/main/dialogs.ts';
import { endWithMessage } from '../../src/main/failure.ts';
import { allWindows } from '../support/electron/window.ts';
import { app, BrowserWindow, dialog } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';

const QUESTION = { message: 'Go on?', buttons: ['Yes', 'No'], cancelId: 1 };
const open = (show = true) => {
  const window = new BrowserWindow({ show });
  return { window, parent: window as object as ElectronWindow };
};
/** A person who looks at the question until the test is over. */
const leaveUnanswered = () => {
  dialog.answerTo = () => new Promise<number>(() => undefined);
};

beforeEach(() => {
  dialog.said.length = 0;
  dialog.details.length = 0;
  dialog.answer = 0;
  dialog.answerTo = () => dialog.answer;
  app.exits.length = 0;
  for (const window of allWindows()) window.destroy();
});

afterEach(() => {
  app.becomeReady();
  app.removeAllListeners('window-all-closed');
});

test('a question first shows its hidden or minimized window', async () => {
  const { window, parent } = open(false);
  expect(await ask(parent, QUESTION)).toMatchObject({ response: 0 });
  expect(window.shown).toBe(true);
  window.minimize();
  await ask(parent, QUESTION);
  expect(window.isMinimized()).toBe(false);
});

test('a window that closes cancels its question, and a closed one never shows a question', async () => {
  const { window, parent } = open();
  leaveUnanswered();
  const asked = ask(parent, QUESTION);
  window.destroy();
  expect(await asked).toEqual({ response: 1, checkboxChecked: false });
  expect(await ask(parent, QUESTION)).toEqual({ response: 1, checkboxChecked: false });
  expect(dialog.said).toEqual(['Go on?']);
  expect(window.listenerCount('closed')).toBe(0);
});

test('a question at the start waits for Chromium, and has a shown window of its own until it is answered', async () => {
  app.becomeUnready();
  const answer = Promise.withResolvers<number>();
  dialog.answerTo = () => answer.promise;
  const asked = askAlone(QUESTION);
  await new Promise(setImmediate);
  expect([dialog.said, allWindows()]).toEqual([[], []]);
  app.becomeReady();
  await eventually(() => expect(dialog.said).toEqual(['Go on?']));
  expect(allWindows().map((window) => window.isVisible())).toEqual([true]);
  answer.resolve(0);
  expect(await asked).toMatchObject({ response: 0 });
  expect(allWindows()).toEqual([]);
});

test('a start that fails before Chromium is ready says why in a window, and then exits with 1', async () => {
  app.becomeUnready();
  const ended = endWithMessage(new Error('no disk'));
  await new Promise(setImmediate);
  expect([dialog.said, app.exits]).toEqual([[], []]);
  app.becomeReady();
  await ended;
  expect(dialog.said).toEqual(['dot-mi can’t start']);
  expect(dialog.details).toEqual(['no disk']);
  expect(app.exits).toEqual([1]);
});

test('a start that fails while Chromium is never ready still exits with 1', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    app.becomeUnready();
    const ended = endWithMessage(new Error('no display'));
    await vi.advanceTimersByTimeAsync(20_000);
    await ended;
    expect([dialog.said, app.exits]).toEqual([[], [1]]);
  } finally {
    vi.useRealTimers();
  }
});

test('the folder chooser is over the window and starts in the given folder', async () => {
  const { parent } = open();
  dialog.chosen = '/home/me/agents';
  expect(await chooseFolder(parent, '/home/me')).toBe('/home/me/agents');
  expect(dialog.chooser).toMatchObject({
    defaultPath: '/home/me',
    properties: ['openDirectory', 'createDirectory'],
  });
  dialog.chosen = null;
  expect(await chooseFolder(parent, '/home/me')).toBeNull();
});

// The double must refuse what the real Electron does badly on some system. Otherwise the tests above prove nothing.
test('the test double refuses dialogs that would stop the main process or that nobody could see', () => {
  const { window } = open(false);
  expect(() => dialog.showMessageBox(QUESTION)).toThrow('without a parent');
  expect(() => dialog.showOpenDialog({})).toThrow('without a parent');
  expect(() => dialog.showMessageBox(window, QUESTION)).toThrow('hidden window');
  window.show();
  app.becomeUnready();
  expect(() => dialog.showMessageBox(window, QUESTION)).toThrow('after app is ready');
  app.becomeReady();
  for (const block of [dialog.showMessageBoxSync, dialog.showOpenDialogSync, dialog.showSaveDialogSync])
    expect(block).toThrow('stops the main process');
  expect(() => dialog.showErrorBox('title', 'content')).toThrow('stops the main process');
  expect(dialog.said).toEqual([]);
});
