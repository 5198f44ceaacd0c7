// `npm run test:electron`: tests the real Electron. Where `npm test` skips that, this fails and says why.
// `--no-build` uses what is in out/.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build, NO_BUILD } from './build.ts';
import { fetchElectron, findElectron, windowObstacle } from './electron.ts';

/** One program at a time: two windows would compete for the focus. */
const PLAYWRIGHT_ARGS = ['--workers=1'];
const root = fileURLToPath(new URL('..', import.meta.url));

const prepare = (): string | undefined => {
  if (!process.argv.includes(NO_BUILD) && !build()) return 'the build failed';
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
