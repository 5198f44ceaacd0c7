import { expect, test } from 'vitest';
import { findGitBash } from '../../../src/server/platform/git-bash.ts';

const REG = 'D:\\WINNT\\System32\\reg.exe';

/** A Windows whose registry has these keys and whose disk has these files. */
const windows = (keys: Readonly<Record<string, string>>, files: readonly string[]) => {
  const asked: string[][] = [];
  return {
    asked,
    run: async (file: string, args: readonly string[]) => {
      asked.push([file, ...args]);
      const [, key = '', , , view = ''] = args;
      const folder = keys[`${key} ${view}`];
      if (folder === undefined) throw new Error('unable to find the specified registry key');
      return `\r\n${key}\r\n    InstallPath    REG_SZ    ${folder}\r\n\r\n`;
    },
    exists: async (path: string) => files.includes(path),
  };
};

const GIT = 'C:\\Program Files\\Git';

test('Git for Windows is found through the registry, and its bash has a full path', async () => {
  const system = windows({ 'HKLM\\SOFTWARE\\GitForWindows /reg:64': GIT }, [`${GIT}\\bin\\bash.exe`]);
  expect(await findGitBash('D:\\WINNT', system)).toBe(`${GIT}\\bin\\bash.exe`);
  expect(system.asked).toEqual([
    [REG, 'query', 'HKLM\\SOFTWARE\\GitForWindows', '/v', 'InstallPath', '/reg:64'],
  ]);
});

test.each(['HKCU\\SOFTWARE\\GitForWindows /reg:64', 'HKLM\\SOFTWARE\\GitForWindows /reg:32'])(
  'Git for Windows is also found at %s',
  async (key) => {
    const own = 'C:\\Users\\Åsa Berg\\Git';
    const system = windows({ [key]: own }, [`${own}\\bin\\bash.exe`]);
    expect(await findGitBash('D:\\WINNT', system)).toBe(`${own}\\bin\\bash.exe`);
  },
);

test('a Git that was removed, or a relative path in the registry, is not used', async () => {
  const keys = {
    'HKLM\\SOFTWARE\\GitForWindows /reg:64': 'C:\\gone',
    'HKCU\\SOFTWARE\\GitForWindows /reg:64': 'relative',
  };
  expect(await findGitBash('D:\\WINNT', windows(keys, ['relative\\bin\\bash.exe']))).toBeUndefined();
  expect(await findGitBash('D:\\WINNT', windows({}, []))).toBeUndefined();
});
