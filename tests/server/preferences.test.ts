import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogger } from '../../src/server/platform/logger.ts';
import { createPreferencesService } from '../../src/server/preferences/preferences.service.ts';
import { makeClock } from '../support/clock.ts';
import { makeTempDirectory } from '../support/temp.ts';

const open = (file: string) => createPreferencesService(file, createLogger('silent'));

it('keeps what the page remembers across restarts, in a file for its owner only', async () => {
  const file = join(await makeTempDirectory(), 'data', 'preferences.json');
  expect(await open(file).read()).toEqual({});
  await open(file).change({ theme: 'dark', recent: '["agent:scout"]' });
  expect(await open(file).change({ recent: null, 'last-agent': '/agents/scout' })).toEqual({
    theme: 'dark',
    'last-agent': '/agents/scout',
  });
  expect(await open(file).read()).toEqual({ theme: 'dark', 'last-agent': '/agents/scout' });
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('loses no change of two pages that write at once', async () => {
  const file = join(await makeTempDirectory(), 'preferences.json');
  const service = open(file);
  await Promise.all([service.change({ theme: 'dark' }), service.change({ 'line-numbers': 'shown' })]);
  expect(await service.read()).toEqual({ theme: 'dark', 'line-numbers': 'shown' });
});

it('begins anew if its file is damaged', async () => {
  const file = join(await makeTempDirectory(), 'preferences.json');
  await writeFile(file, '{"version":1,"pref', { mode: 0o600 });
  const service = open(file);
  expect(await service.read()).toEqual({});
  await service.change({ theme: 'light' });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ version: 1, preferences: { theme: 'light' } });
});

it('reads the theme at most once a second, shows a change at once, and warns once a minute', async () => {
  const file = join(await makeTempDirectory(), 'preferences.json');
  const clock = makeClock();
  const warnings: string[] = [];
  const service = createPreferencesService(
    file,
    { warn: (_: unknown, message?: string) => void warnings.push(`${message}`) },
    clock,
  );
  const write = (theme: string) =>
    writeFile(file, JSON.stringify({ version: 1, preferences: { theme } }), { mode: 0o600 });
  await write('dark');
  expect(await service.theme()).toBe('dark');
  await write('light');
  expect(await service.theme()).toBe('dark');
  clock.pass(1_000);
  expect(await service.theme()).toBe('light');
  await service.change({ theme: 'dark' });
  expect(await service.theme()).toBe('dark');

  await writeFile(file, 'x');
  for (let second = 0; second < 60; second++) {
    clock.pass(1_000);
    expect(await service.theme()).toBeUndefined();
  }
  expect(warnings).toHaveLength(1);
  clock.pass(1_000);
  await service.theme();
  expect(warnings).toHaveLength(2);
});
