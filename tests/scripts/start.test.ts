import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { sandboxRemedy } from '../../scripts/electron.ts';
import { eventually } from '../support/eventually.ts';
import { keepLog } from '../support/kept-log.ts';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';
import { plant } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const START = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url));

/** Runs `npm start` with a program in the place of Electron that runs `script`, as somebody who may open windows. */
const start = async (script: string, environment: Record<string, string> = {}) => {
  const directory = await makeTempDirectory();
  const root = join(directory, 'root');
  await mkdir(join(root, 'agents'), { recursive: true });
  await giveToUnprivilegedUser([directory, root]);
  await writeFile(join(directory, 'electron'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const child = spawn(process.execPath, [START, '--no-build'], {
    // The server's data is in its working directory, and the checkout may have the data of somebody else.
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      DISPLAY: ':99',
      ELECTRON_OVERRIDE_DIST_PATH: directory,
      PORT: '0',
      DEV_MODE: 'true',
      DOT_MI_ROOT: root,
      WALLET_DB_PATH: join(directory, 'wallet'),
      MODEL_PRICING_PATH: join(directory, 'prices.json'),
      BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:1',
      ...environment,
    },
    ...(unprivilegedUser === undefined ? {} : { uid: unprivilegedUser }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const log = keepLog('npm-start');
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
    log.write(chunk);
  });
  child.stderr.on('data', log.write);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return { out: () => out, exited, directory };
};

test('npm start on a system whose Electron dies by a signal serves the page and says what to do', {
  tags: 'slow',
}, async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has this sandbox');
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const { out, exited, directory } = await start('kill -TRAP $$');
  const printed = eventually(() => {
    const [, found] = /page {2}(http:\S+)\/#token=/.exec(out()) ?? [];
    if (!found) throw new Error(out());
    return found;
  });
  const url = await Promise.race([printed, exited.then((code) => `npm start ended with ${code}: ${out()}`)]);
  expect(url).toMatch(/^http:/);
  expect(out()).toContain('No window can open because the signal SIGTRAP ended Electron.');
  expect(out()).toContain(`sudo chmod 4755 '${directory}/chrome-sandbox'`);
  expect((await fetch(url.replace(/[0-9a-f]+\.dot-mi\.localhost/, '127.0.0.1'))).status).toBe(200);
});

test('npm start ends with Electron when the operator quits', { tags: 'slow' }, async ({ skip }) => {
  skip(process.platform === 'win32', 'the stand-in is a shell script');
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const { out, exited } = await start('exit 0');
  expect([await exited, out()]).toEqual([0, '']);
});

test('npm start says where dot-mi already runs, and opens no second window', async ({ skip }) => {
  skip(
    process.platform !== 'linux',
    'the stand-in is a shell script, and the settings are where Linux has them',
  );
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const { url } = await serve(await makeRoot());
  // The port is only in the settings of the window.
  const config = await makeTempDirectory();
  const port = Number(new URL(url).port);
  await plant(join(config, 'dot-mi'), { 'settings.json': JSON.stringify({ version: 1, server: { port } }) });
  await giveToUnprivilegedUser([config, join(config, 'dot-mi'), join(config, 'dot-mi/settings.json')]);
  const { out, exited } = await start('echo opened', { PORT: '', XDG_CONFIG_HOME: config });
  expect(await exited).toBe(0);
  expect(out()).toContain(`page  ${url}`);
  expect(out()).not.toContain('opened');
});

test('the remedy names AppArmor only if it is the cause', ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has this sandbox');
  expect(sandboxRemedy('/e/electron', true)).toMatch(/^AppArmor keeps Electron from using its sandbox/);
  expect(sandboxRemedy('/e/electron', false)).not.toMatch(/^AppArmor/);
});
