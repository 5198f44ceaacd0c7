import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  claimScheme,
  createKeptLinks,
  createWaitingLinks,
  isIntegrated,
  linkIn,
} from '../../src/main/deep-link.ts';
import { app } from '../support/electron-double.ts';
import { makeTempDirectory } from '../support/temp.ts';

test('the link of a command line is the argument after the end of its switches, and not text inside another argument', () => {
  expect(linkIn(['dot-mi', '--flag', '--', 'cashu:cashuBabc'])).toBe('cashu:cashuBabc');
  expect(linkIn(['dot-mi', '--', 'CASHU:x'])).toBe('CASHU:x');
  for (const other of ['--x=cashu:y', 'https://evil.example/cashu:', ' cashu:x', 'cashu', 'file:cashu:x'])
    expect(linkIn(['dot-mi', '--', other])).toBeUndefined();
});

test('an argument before the end of the switches is not a link', () => {
  for (const argv of [
    [],
    ['dot-mi'],
    ['dot-mi', 'cashu:x'],
    ['dot-mi', 'cashu:x', '--'],
    ['cashu:x', '--', 'y'],
  ])
    expect(linkIn(argv)).toBeUndefined();
});

test('links wait in order, each is consumed once, and anything else is ignored', () => {
  let told = 0;
  const links = createWaitingLinks(() => {
    told += 1;
  });
  for (const link of ['cashu:a', 'smb://host', 'javascript:cashu:', 'cashu:b']) links.add(link);
  expect(told).toBe(2);
  expect([links.take(), links.take(), links.take()]).toEqual(['cashu:a', 'cashu:b', null]);
});

test('a link of any length costs no more than one that is just too long', () => {
  const links = createWaitingLinks(() => undefined);
  links.add(`cashu:${'x'.repeat(10_000_000)}`);
  expect(links.take()).toHaveLength(100_001);
});

beforeEach(() => {
  app.isPackaged = true;
  app.handlers = {};
  app.claims = [];
});

test('the installed program opens cashu: links, with the file that the operator has and with the end of its switches', () => {
  claimScheme('D:\\Tools\\dot-mi-portable.exe');
  expect(app.claims).toEqual([['cashu', 'D:\\Tools\\dot-mi-portable.exe', ['--']]]);
});

test('the scheme stays with another wallet that has it', () => {
  app.handlers = { cashu: 'Another Wallet' };
  claimScheme('/opt/dot-mi/dot-mi');
  expect(app.claims).toEqual([]);
});

test('a program from the sources claims nothing', () => {
  app.isPackaged = false;
  claimScheme('/opt/dot-mi/dot-mi');
  expect(app.claims).toEqual([]);
});

test('at most ten links wait, and further ones are ignored until one was consumed', () => {
  let told = 0;
  const links = createWaitingLinks(() => {
    told += 1;
  });
  for (let nth = 0; nth < 1000; nth++) links.add(`cashu:${nth}`);
  expect([told, links.take()]).toEqual([10, 'cashu:0']);
  links.add('cashu:late');
  const rest = Array.from({ length: 11 }, () => links.take());
  expect(rest.slice(-3)).toEqual(['cashu:9', 'cashu:late', null]);
});

test('links that a shutdown keeps are there at the next start, once, and only this user reads them', async () => {
  const directory = await makeTempDirectory();
  const file = join(directory, 'waiting-links.json');
  const kept = createKeptLinks(directory);
  await kept.keep(() => []);
  expect(await kept.take()).toEqual([]);
  // The second one arrives while the first one is written.
  const arrivals = [['cashu:a'], ['cashu:b'], []];
  await kept.keep(() => arrivals.shift() ?? []);
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await kept.take()).toEqual(['cashu:a', 'cashu:b']);
  expect(await kept.take()).toEqual([]);
  await writeFile(file, '{"damaged');
  expect(await kept.take()).toEqual([]);
});

test('an AppImage is integrated when a desktop entry of this user names it for cashu: links', async () => {
  const home = await makeTempDirectory();
  app.paths.home = home;
  const appImage = '/home/me/dot-mi.AppImage';
  expect(await isIntegrated(appImage)).toBe(false);
  const applications = join(home, '.local/share/applications');
  await mkdir(applications, { recursive: true });
  const entry = (exec: string, type: string) => `[Desktop Entry]\nExec="${exec}" -- %U\nMimeType=${type};\n`;
  await writeFile(
    join(applications, 'a.desktop'),
    entry('/home/me/other.AppImage', 'x-scheme-handler/cashu'),
  );
  await writeFile(join(applications, 'b.desktop'), entry(appImage, 'text/plain'));
  expect(await isIntegrated(appImage)).toBe(false);
  await writeFile(join(applications, 'c.desktop'), entry(appImage, 'x-scheme-handler/cashu'));
  expect(await isIntegrated(appImage)).toBe(true);
});
