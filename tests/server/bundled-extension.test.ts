import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STARTER_ROOT } from '../resources/support.ts';
import { makeRoot, plant } from '../support/root.ts';
import { serve } from '../support/server.ts';

const INSTALL = '/api/catalog/extensions/dot-mi-status.ts/install';
const EXTENSION = 'shared/extensions/dot-mi-status.ts';

test('adds the extension that reports the status to a root that lacks it, so that agents can link it', async () => {
  const root = await makeRoot();
  await rm(join(root, 'shared'), { recursive: true });
  const { asOperator: call } = await serve(root);
  const added = await call('POST', INSTALL);
  expect([added.status, added.body]).toEqual([200, { ok: true, created: true, path: EXTENSION }]);
  expect(await readFile(join(root, EXTENSION))).toEqual(await readFile(join(STARTER_ROOT, EXTENSION)));
  expect(await readdir(join(root, 'shared/extensions'))).toEqual(['dot-mi-status.ts']);
  const linked = await call('POST', '/api/agents/scout/links/extensions', { name: 'dot-mi-status.ts' });
  expect([linked.status, linked.body.entry.broken]).toEqual([201, false]);
});

test('never overwrites an extension of its name', async () => {
  for (const mine of ['mine', { link: 'nowhere' }, null]) {
    const root = await makeRoot();
    await plant(root, { [EXTENSION]: mine });
    const { asOperator: call } = await serve(root);
    expect((await call('POST', INSTALL)).body.created).toBe(false);
    if (mine === 'mine') expect(await readFile(join(root, EXTENSION), 'utf8')).toBe('mine');
  }
});
