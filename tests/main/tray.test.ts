import { expect, onTestFinished, test, vi } from 'vitest';
import { createTrayIcon } from '../../src/main/tray.ts';
import { launchOptions } from '../support/electron/around.ts';
import { Tray } from '../support/electron-double.ts';

/** A tray icon on a desktop that answers each question about its tray in turn, and then repeats the last answer. */
const iconWith = (...answers: [boolean, ...boolean[]]) => {
  let asked = 0;
  const refused: unknown[] = [];
  const shown: string[] = [];
  const icon = createTrayIcon({
    show: () => void shown.push('window'),
    showAgent: (agent) => void shown.push(agent),
    showTerminal: (agent) => void shown.push(`terminal of ${agent}`),
    url: () => 'http://127.0.0.1:8000',
    hasTray: async () => answers[Math.min(asked++, answers.length - 1)] ?? false,
    onRefused: (error) => void refused.push(error),
  });
  return { icon, asked: () => asked, refused, shown };
};

test.each([
  ['linux', ['window']],
  ['win32', ['window']],
  // The click opens the menu there.
  ['darwin', []],
])('on %s a click on the icon opens %j besides a menu', async (platform, opened) => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { icon, shown } = iconWith(true);
  icon.want(true);
  await icon.look();
  Tray.current?.emit('click');
  expect(shown).toEqual(opened);
  icon.want(false);
});

test('the menu and the tip name the agents that wait for a person, and an item leads to each', async () => {
  const { icon, shown } = iconWith(true);
  const labels = () => Tray.current?.menu?.template.map(({ label, type }) => label ?? type);
  // Before the icon is there.
  icon.nameWaiting([{ agent: 'scout', canShow: false }]);
  icon.want(true);
  await icon.look();
  expect(labels()).toEqual(['scout is waiting for you', 'separator', 'Open dot-mi', 'Quit dot-mi']);
  expect(Tray.current?.tip).toBe('dot-mi: scout is waiting for you');
  const [first] = Tray.current?.menu?.template ?? [];
  const click = first?.click as (() => void) | undefined;
  click?.();
  expect(shown).toEqual(['scout']);
  icon.nameWaiting([{ agent: 'scout', canShow: true }]);
  const [named] = Tray.current?.menu?.template ?? [];
  expect([named?.label, named?.click]).toEqual(['scout is waiting for you', undefined]);
  const submenu = named?.submenu as { label: string; click: () => void }[];
  expect(submenu.map(({ label }) => label)).toEqual(['Show its terminal', 'Open its page']);
  for (const item of submenu) item.click();
  expect(shown.slice(1)).toEqual(['terminal of scout', 'scout']);
  icon.nameWaiting(Array.from({ length: 20 }, (_, index) => ({ agent: `a${index}`, canShow: false })));
  expect(labels()).toHaveLength(8 + 3);
  expect(Tray.current?.tip).toBe('dot-mi: 20 agents are waiting for you');
  icon.nameWaiting([]);
  expect(labels()).toEqual(['Open dot-mi', 'Quit dot-mi']);
  expect(Tray.current?.tip).toBe('dot-mi: http://127.0.0.1:8000');
  icon.want(false);
});

test('a start at login waits for a tray that appears later', async () => {
  const { icon, asked } = iconWith(false, false, true);
  icon.want(true);
  expect(await icon.appears(10_000)).toBe(true);
  expect([icon.isThere(), asked()]).toEqual([true, 3]);
});

test('a desktop without a tray never has an icon, and a start that wants no icon doesn’t wait', async () => {
  const { icon } = iconWith(false);
  icon.want(true);
  expect(await icon.appears(0)).toBe(false);
  icon.want(false);
  expect(await icon.appears(60_000)).toBe(false);
  expect(icon.isThere()).toBe(false);
});

test('a tray that is added later shows the icon, and one that is removed destroys the icon', async () => {
  const { icon } = iconWith(false, false, true, false);
  icon.want(true);
  expect([await icon.look(), icon.isThere()]).toEqual([false, false]);
  expect([await icon.look(), icon.isThere()]).toEqual([true, true]);
  expect([await icon.look(), icon.isThere()]).toEqual([false, false]);
});

test('a system that refuses the icon counts as one without a tray', async () => {
  launchOptions.tray = 'refused';
  onTestFinished(() => {
    delete launchOptions.tray;
  });
  const { icon, refused } = iconWith(true);
  icon.want(true);
  expect(await icon.look()).toBe(false);
  expect(await icon.appears(0)).toBe(false);
  expect(icon.isThere()).toBe(false);
  expect(refused.length).toBeGreaterThan(0);
});
