import { spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { plant } from '../support/plant.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** Runs what `npm run serve -- --help` runs, where no package brings a Node. */
const serveHelp = async (environment: Record<string, string> = {}) => {
  const directory = await makeTempDirectory();
  const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));
  await symlink(scripts, join(directory, 'scripts'), 'junction');
  const { status, stdout, stderr } = spawnSync(`${packageJson.scripts.serve} --help`, {
    cwd: directory,
    encoding: 'utf8',
    shell: true,
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      ...environment,
    },
  });
  return { status, stdout, stderr };
};

test('the scripts run on the Node of the machine where the package node has none', {
  tags: 'slow',
}, async () => {
  const { status, stdout, stderr } = await serveHelp();
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Usage: npm run serve');
});

test('the scripts say in one sentence which Node to install if this one is too old', async () => {
  const directory = await makeTempDirectory();
  await plant(directory, {
    'older.cjs':
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } });",
  });
  const { status, stdout, stderr } = await serveHelp({
    NODE_OPTIONS: `--require ${JSON.stringify(join(directory, 'older.cjs'))}`,
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    'dot-mi needs Node 24 or newer, but this is Node 22.12.0: run npm install, or if you did, install Node 24 from https://nodejs.org.\n',
  );
});

test('each script that needs Node 24 checks it first', () => {
  // Node 20 runs these too.
  const others = ['typecheck', 'lint', 'format', 'arrows'];
  const unchecked = Object.entries(packageJson.scripts)
    .filter(
      ([, line]) => !/^node (-r \.\/scripts\/require-node\.cjs |scripts\/require-node\.cjs && )/.test(line),
    )
    .map(([name]) => name);
  expect(unchecked).toEqual(others);
});
