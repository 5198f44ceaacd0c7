import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPathReader, readLoginPath } from '../../src/main/login-path.ts';
import { makeTempDirectory } from '../support/temp.ts';

const LAUNCHD_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/** Reads the PATH of a person whose shell is bash and whose profile has these lines. */
const readWith = async (profile: string, timeoutMs?: number) => {
  const home = await makeTempDirectory();
  await writeFile(join(home, '.bash_profile'), profile);
  return readLoginPath({
    shell: '/bin/bash',
    environment: { HOME: home, PATH: LAUNCHD_PATH },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
};

test.skipIf(!existsSync('/bin/bash'))(
  "the PATH is the login shell's, whatever its profile prints or redefines",
  async () => {
    expect(
      await readWith(
        'export PATH="/opt/homebrew/bin:/a b/bin"\necho Welcome; echo() { :; }; printenv() { :; }\n',
      ),
    ).toBe('/opt/homebrew/bin:/a b/bin');
  },
);

test.skipIf(!existsSync('/bin/bash'))(
  'a profile that never ends or fails, or a shell that is missing, yields no PATH',
  async () => {
    expect(await readWith('sleep 60\n', 200)).toBeUndefined();
    expect(await readWith('exit 3\n')).toBeUndefined();
    expect(await readLoginPath({ shell: '/nowhere/zsh', environment: {} })).toBeUndefined();
  },
);

test('only macOS asks the shell, at once and only once', async () => {
  let asked = 0;
  const read = async () => {
    asked += 1;
    return '/opt/homebrew/bin';
  };
  expect([createPathReader('linux', read), createPathReader('win32', read), asked]).toEqual([
    undefined,
    undefined,
    0,
  ]);
  const reader = createPathReader('darwin', read);
  expect(asked).toBe(1);
  expect([await reader?.(), await reader?.(), asked]).toEqual(['/opt/homebrew/bin', '/opt/homebrew/bin', 1]);
});
