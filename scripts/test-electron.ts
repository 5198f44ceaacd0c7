// `npm run test:electron`: tests the real Electron. Where `npm test` skips that, this fails and says why.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { build, NO_BUILD } from './build.ts';
import { fetchElectron, findElectron, windowObstacle } from './electron.ts';

/** One program at a time: two windows would compete for the focus. */
const PLAYWRIGHT_ARGS = ['--workers=1'];
const root = fileURLToPath(new URL('..', import.meta.url));

const USAGE = `Tests the real Electron.

Usage: npm run test:electron -- [${NO_BUILD}]

  ${NO_BUILD}              use what is in out/ as it is
${HELP_LINE}`;

const { values } = readCommandLine(USAGE, { 'no-build': { type: 'boolean' } });

const prepare = (): string | undefined => {
  if (!values['no-build'] && !build()) return 'the build failed';
  const obstacle = windowObstacle();
  if (obstacle) return obstacle;
  return (findElectron() ?? fetchElectron()) ? undefined : 'Electron could not be downloaded';
};

const obstacle = prepare();
if (obstacle) console.error(`The real Electron was not tested because ${obstacle}.`);
const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url));
const status = obstacle
  ? 1
  : spawnSync(process.execPath, [cli, 'test', 'tests/e2e/electron.spec.ts', ...PLAYWRIGHT_ARGS], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, REQUIRE_ELECTRON: 'yes' },
    }).status;
process.exit(status ?? 1);
