import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findElectron } from '../../scripts/electron.ts';
import { noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/test-electron.ts', import.meta.url));

/** Runs `npm run test:electron` as somebody who has nothing of ours; what is in the way is said before the build is looked at. */
const run = (environment: Readonly<Record<string, string>>) => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, '--no-build'], {
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
  });
  return { status, stderr };
};

test('where no window can open, the test of the real Electron fails and says so', ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux may be without a display');
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  expect(run({})).toEqual({
    status: 1,
    stderr: 'The real Electron was not tested because this machine has no display.\n',
  });
});

test('where its binary cannot be had it fails too', ({ skip }) => {
  skip(findElectron() !== undefined, 'the binary is here');
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  expect(run({ DISPLAY: ':99' })).toEqual({
    status: 1,
    stderr: 'The real Electron was not tested because Electron could not be downloaded.\n',
  });
});
