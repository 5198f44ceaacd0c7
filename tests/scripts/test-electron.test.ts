import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findElectron } from '../../scripts/electron.ts';
import { noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';

const scriptPath = (name: string) => fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));

/** Runs a script as somebody who has nothing of ours; what is in the way is said before the build is looked at. */
const run = (environment: Readonly<Record<string, string>>, name = 'test-electron.ts') => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [scriptPath(name), ...(name === 'dev.ts' ? [] : ['--no-build'])],
    {
      cwd: tmpdir(),
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        // No release page answers, and nothing was kept of it.
        ELECTRON_MIRROR: 'http://127.0.0.1:1/',
        electron_config_cache: '/nowhere/electron',
        ...environment,
      },
      ...(unprivilegedUser === undefined ? {} : { uid: unprivilegedUser }),
    },
  );
  return { status, stderr };
};

test('if no window can open, the test of the real Electron fails and says so', ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux may be without a display');
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  expect(run({})).toEqual({
    status: 1,
    stderr: 'The real Electron was not tested because this computer has no display.\n',
  });
});

test.for([
  ['test-electron.ts', 'The real Electron was not tested because Electron could not be downloaded.'],
  [
    'dev.ts',
    'No window can open because Electron could not be downloaded. For the page with hot reload, run npm run dev:page.',
  ],
])(
  '%s fetches the binary first, and shows why that failed',
  { tags: 'slow' },
  ([name = '', last], { skip }) => {
    skip(findElectron() !== undefined, 'the binary is here');
    const why = noUnprivilegedUser();
    skip(why !== undefined, why);
    const { status, stderr } = run({ DISPLAY: ':99' }, name);
    const lines = stderr.trim().split('\n');
    expect([status, lines.at(0), lines.at(-1)]).toEqual([
      1,
      expect.stringMatching(/^Downloading Electron failed: \w+/),
      last,
    ]);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);
