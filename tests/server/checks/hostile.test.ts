import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOSTILE } from '../../support/hostile-root.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';

test('hostile agents and skills get responses, and hold up no other request', { tags: 'slow' }, async () => {
  const root = await makeRoot(HOSTILE);
  await mkdir(join(root, 'agents/circles/skills/loop'), { recursive: true });
  await symlink('..', join(root, 'agents/circles/skills/loop/again'));
  await symlink('.', join(root, 'agents/circles/skills/self'));
  await symlink('itself', join(root, 'agents/circles/skills/itself'));
  await symlink('../../agents', join(root, 'agents/circles/extensions'));
  const server = await serve(root);
  const ids = [...new Set(Object.keys(HOSTILE).flatMap((path) => /^agents\/([^/]+)/.exec(path)?.[1] ?? []))];

  let isDone = false;
  let others = 0;
  const asking = (async () => {
    while (!isDone) {
      await server.call('GET', '/api/agents');
      others++;
    }
  })();
  for (const id of [...ids, 'circles']) {
    const { status, body } = await server.call('GET', `/api/agents/${id}/checks`);
    expect([id, status]).toEqual([id, 200]);
    expect(body.findings.length).toBeLessThanOrEqual(500);
  }
  expect((await server.call('GET', '/api/checks')).status).toBe(200);
  isDone = true;
  await asking;
  // The bench measures how soon.
  expect(others).toBeGreaterThan(3);

  const many = await server.call('GET', '/api/agents/many-args/checks');
  expect(many.body.truncated).toBe(true);
  for (const id of ['many-skills', 'much-bait'])
    expect((await server.call('GET', `/api/agents/${id}/checks`)).body.truncated).toBe(true);
  await writeFile(join(root, 'agents/many-args/pi-args'), '--no-session\n');
  expect((await server.call('GET', '/api/agents/many-args/checks')).body.truncated).toBe(false);
});
