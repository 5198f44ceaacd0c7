import { copyFile, lstat, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/server/platform/clock.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { createRootService } from '../../src/server/root/root.service.ts';
import { createRootIdentities } from '../../src/server/root/root-identity.ts';
import { createRootTrust } from '../../src/server/root/root-trust.ts';
import { createTrustStore } from '../../src/server/root/trust-store.ts';
import { host } from '../support/host.ts';
import { plant } from '../support/plant.ts';
import { makeTempDirectory } from '../support/temp.ts';

const TEMPLATE = fileURLToPath(new URL('../../resources/starter-root', import.meta.url));

test('an empty folder becomes a root in which agents can be created, and nothing else is touched', async () => {
  const home = await realpath(await makeTempDirectory());
  const folder = join(home, 'my agents');
  await mkdir(join(folder, '.git'), { recursive: true });
  const { call, untilStarted } = await host({ HOME: home, USERPROFILE: home });
  const check = async (path: string) =>
    (await call('GET', `/api/root/check?path=${encodeURIComponent(path)}`)).body;
  expect(await check('~/my agents')).toEqual({
    path: folder,
    exists: true,
    empty: true,
    agents: null,
    setupScript: false,
  });

  const { status, body } = await call('POST', '/api/root/setup', { path: '~/my agents' });
  expect([status, body]).toEqual([
    200,
    {
      path: folder,
      created: ['.gitattributes', '.gitignore', 'README.md', 'agents', 'setup.sh', 'shared'],
    },
  ]);
  expect(await check(folder)).toEqual({
    path: folder,
    exists: true,
    empty: false,
    agents: 3,
    setupScript: true,
  });
  expect(await readdir(join(folder, 'agents/scout/skills'))).not.toEqual([]);
  // A second time, nothing is left to add.
  expect((await call('POST', '/api/root/setup', { path: folder })).body.created).toEqual([]);

  expect((await call('PUT', '/api/settings', { root: '~/my agents' })).body.settings.root.value).toBe(folder);
  await untilStarted(2);
  const made = await call('POST', '/api/agents', { name: 'courier' });
  expect([made.status, made.body]).toEqual([201, { ok: true, id: 'courier' }]);
});

test('a folder with files keeps each of them, and gets only what it lacks', { tags: 'slow' }, async () => {
  const folder = await makeTempDirectory();
  await plant(folder, {
    'README.md': 'Mine.\n',
    'shared/notes.txt': 'Mine.\n',
    agents: { link: 'elsewhere' },
  });
  const { call } = await host({ DOT_MI_ROOT: folder });
  const { body } = await call('POST', '/api/root/setup', {});
  expect(body).toEqual({ path: folder, created: ['setup.sh'] });
  expect((await readdir(folder)).sort()).toEqual(['.dot-mi', 'README.md', 'agents', 'setup.sh', 'shared']);
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toBe('Mine.\n');
  expect(await readdir(join(folder, 'shared'))).toEqual(['notes.txt']);
  expect((await lstat(join(folder, 'agents'))).isSymbolicLink()).toBe(true);
  expect((await call('GET', '/api/root/trust')).body.trusted).toBe(true);

  // A script of someone else's stays, and isn't trusted on the way.
  const other = await makeTempDirectory();
  await plant(other, { dotpi: { script: '#!/bin/sh\nexit 1\n' } });
  expect((await call('POST', '/api/root/setup', { path: other })).body.created).toEqual(['agents', 'shared']);
  expect(await readdir(join(other, 'agents'))).toEqual([]);
});

test('a script that replaces the one dot-mi put into a folder is not trusted', async () => {
  const data = await realpath(await makeTempDirectory());
  const folder = await realpath(await makeTempDirectory());
  const replaceScript = () => writeFile(join(folder, 'setup.sh'), '#!/bin/sh\necho mine\n');
  const quiet = { warn: () => undefined };
  const rootTrust = createRootTrust({
    root: createRoot(folder),
    identities: createRootIdentities(join(data, 'root-ids.json')),
    store: createTrustStore(join(data, 'trusted-roots.json'), quiet),
    starterRootPath: join(data, 'starter'),
    starterTemplate: TEMPLATE,
    clock: systemClock,
    logger: quiet,
  });
  const service = createRootService({
    overlapOf: () => undefined,
    root: createRoot(folder),
    homeDirectory: data,
    template: TEMPLATE,
    trust: {
      ...rootTrust,
      // Another user is faster.
      async trustPlanted(path) {
        await replaceScript();
        await rootTrust.trustPlanted(path);
      },
    },
  });
  expect((await service.setUp(folder)).created).toContain('setup.sh');
  expect(await rootTrust.read()).toMatchObject({ trusted: false, reason: 'script_changed' });

  // dot-mi's own script is trusted again as soon as it is back.
  await copyFile(join(TEMPLATE, 'setup.sh'), join(folder, 'setup.sh'));
  expect(await rootTrust.read()).toMatchObject({ trusted: true });
});

test('says what can’t be a root, and creates a folder only if the one above it exists', {
  tags: 'slow',
}, async () => {
  const place = await makeTempDirectory();
  await writeFile(join(place, 'file'), '');
  const { call } = await host({});
  const setUp = (path: string) => call('POST', '/api/root/setup', { path });
  expect((await setUp('relative')).body).toMatchObject({ code: 'invalid_request' });
  expect((await setUp(join(place, 'file'))).body).toMatchObject({ code: 'not_a_directory' });
  expect((await setUp(join(place, 'missing/deep'))).body).toMatchObject({
    code: 'invalid_request',
    error: expect.stringContaining('the folder above it'),
  });
  const missing = join(place, 'new');
  expect((await call('GET', `/api/root/check?path=${encodeURIComponent(missing)}`)).body).toMatchObject({
    exists: false,
    agents: null,
  });
  expect((await setUp(missing)).body.created).toContain('agents');
  expect((await setUp(join(missing, 'agents'))).status).toBe(200);
});
