import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTray } from '../../src/main/tray.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** A PATH whose folders have these programs: what each prints, or undefined if it fails. */
const pathWith = async (...folders: Readonly<Record<string, string | undefined>>[]) => {
  const directory = await makeTempDirectory();
  const path: string[] = [];
  for (const [index, programs] of folders.entries()) {
    const folder = join(directory, String(index));
    await mkdir(folder);
    path.push(folder);
    for (const [name, output] of Object.entries(programs)) {
      const body =
        output === undefined
          ? 'exit 1'
          : `printf '%s\\n' '${output}'; printf '%s\\n' "$@" > '${folder}/asked'`;
      await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    }
  }
  return path.join(delimiter);
};

describe.skipIf(process.platform === 'win32')('on Linux', () => {
  test.for([
    ['gdbus', '(<true>,)', true],
    ['gdbus', '(<false>,)', false],
    ['dbus-send', '   variant       boolean true', true],
    ['busctl', 'b true', true],
    ['busctl', 'b false', false],
  ] as const)('%s that answers “%s” means %s', async ([name, output, expected]) => {
    expect(await hasTray(await pathWith({}, { [name]: output }), 'linux')).toBe(expected);
  });

  test('a desktop where no program has the name has no tray', async () => {
    expect(await hasTray(await pathWith({ gdbus: undefined }), 'linux')).toBe(false);
  });

  test('a desktop that can’t be asked has no tray, and a relative folder is not searched', async () => {
    expect(await hasTray(await pathWith({}), 'linux')).toBe(false);
    expect(await hasTray('', 'linux')).toBe(false);
    expect(await hasTray(['.', 'bin'].join(delimiter), 'linux')).toBe(false);
  });
});

test('macOS and Windows have a tray without being asked', async () => {
  expect([await hasTray('', 'darwin'), await hasTray('', 'win32')]).toEqual([true, true]);
});
