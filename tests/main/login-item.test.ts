import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createLoginItem } from '../../src/main/login-item.ts';
import { app } from '../support/electron-double.ts';
import { makeTempDirectory } from '../support/temp.ts';

beforeEach(async () => {
  app.isPackaged = true;
  app.paths.appData = await makeTempDirectory();
});

test.runIf(process.platform === 'linux')(
  'on Linux it is a desktop entry that starts the program hidden',
  () => {
    const item = createLoginItem('/home/me/My "Apps"/dot-mi 100%.AppImage');
    expect(item.isOn()).toBe(false);
    item.set(true);
    expect(item.isOn()).toBe(true);
    const entry = readFileSync(join(app.paths.appData ?? '', 'autostart/dot-mi.desktop'), 'utf8');
    expect(entry).toContain('Exec="/home/me/My \\"Apps\\"/dot-mi 100%%.AppImage" --hidden\n');
    item.set(false);
    item.set(false);
    expect(item.isOn()).toBe(false);
  },
);

test('a program from the sources cannot start at login, and says so', () => {
  app.isPackaged = false;
  expect(() => createLoginItem(undefined).set(true)).toThrow(
    'Only the installed program can start at login.',
  );
});
