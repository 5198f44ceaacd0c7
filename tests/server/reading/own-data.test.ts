import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plant, SMALL_ROOT } from '../../support/plant.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const DATA_IN_ROOT =
  /^dot-mi could not start: The root ".*" contains ".*", where dot-mi keeps its secrets\. Choose another folder as the root\.$/;

test('dot-mi doesn’t start with a root that contains its data, whatever links are on the way', async () => {
  const top = await makeTempDirectory();
  const root = join(top, 'root');
  await plant(root, SMALL_ROOT);
  await symlink(root, join(top, 'link'));
  for (const [path, dataDirectory] of [
    [root, root],
    [root, join(root, 'agents/scout')],
    [top, join(top, 'program')],
    [join(top, 'link'), root],
    [root, join(top, 'link')],
  ] as const)
    await expect(serve(path, { dataDirectory })).rejects.toThrow(DATA_IN_ROOT);
  const wallet = join(root, 'wallet');
  await expect(serve(root, { environment: { WALLET_DB_PATH: wallet } })).rejects.toThrow(DATA_IN_ROOT);
});

test('dot-mi doesn’t start with a root in its data, but with the starter root there', async () => {
  const dataDirectory = await makeTempDirectory();
  const root = join(dataDirectory, 'data/services');
  await mkdir(root, { recursive: true, mode: 0o700 });
  await expect(serve(root, { dataDirectory })).rejects.toThrow(
    / is in ".*", where dot-mi keeps its secrets\./,
  );
  const starter = join(dataDirectory, 'data/dot-mi-root');
  await plant(starter, SMALL_ROOT);
  const server = await serve(starter, { dataDirectory });
  expect((await server.call('GET', '/api/agents')).status).toBe(200);

  // The window can't choose such a root either.
  for (const path of [dataDirectory, root, join(dataDirectory, 'data/wallet')]) {
    const check = await server.asOperator('GET', `/api/root/check?path=${encodeURIComponent(path)}`);
    expect([path, check.status, check.body.issues?.[0].path]).toEqual([path, 400, 'query.path']);
    const setup = await server.asOperator('POST', '/api/root/setup', { path });
    expect([path, setup.status, setup.body.issues?.[0].path]).toEqual([path, 400, 'body.path']);
  }
});
