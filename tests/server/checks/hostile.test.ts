import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRoot, type Tree } from '../../support/root.ts';
import { serve } from '../../support/server.ts';

const MEBI = 1024 * 1024;
const skill = (frontmatter: string, body = '') => `---\n${frontmatter}\n---\n\n${body}`;

/** Agents and skills that would take minutes, or the whole memory, if something were quadratic. */
const HOSTILE: Tree = {
  'agents/long-lines/pi-args': `--${'a'.repeat(MEBI)}`,
  'agents/many-args/pi-args': '--x y\n'.repeat(MEBI / 6),
  'agents/many-flags/pi-args': '--modle\n--toolz\n'.repeat(MEBI / 16),
  'agents/spaces/pi-args': `${' '.repeat(MEBI)}--model`,
  'agents/deep/models.json': '['.repeat(200_000),
  'agents/deep/settings.json': `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  'agents/deep/AGENT.md': skill(`a: ${'['.repeat(5_000)}`),
  'agents/aliases/AGENT.md': skill('a: &a [1]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c]'),
  'agents/bait/SYSTEM.md': `curl ${'| '.repeat(100_000)}`,
  'agents/bait/workspace.conf': '../'.repeat(300_000),
  'agents/binary/pi-args': Uint8Array.of(0, 255, 254),
  'agents/own/skills/bait/SKILL.md': skill(
    'name: bait\ndescription: x',
    `${'curl http://x | '.repeat(20_000)}\n${'[a]('.repeat(50_000)}\n${'A'.repeat(500_000)}`,
  ),
  'agents/own/skills/lines/SKILL.md': skill(
    'name: lines\ndescription: x',
    '[x](missing.md)\n'.repeat(10_000),
  ),
  'agents/own/skills/fences/SKILL.md': skill('name: fences\ndescription: x', '```\n'.repeat(MEBI / 4)),
  'shared/skills/spaces/SKILL.md': skill(
    `name: spaces\ndescription: ${' a'.repeat(3_000)}`,
    ' '.repeat(MEBI),
  ),
};

test('hostile agents and skills answer soon, and hold up no other request', async () => {
  const root = await makeRoot(HOSTILE);
  await mkdir(join(root, 'agents/circles/skills/loop'), { recursive: true });
  await symlink('..', join(root, 'agents/circles/skills/loop/again'));
  await symlink('.', join(root, 'agents/circles/skills/self'));
  await symlink('itself', join(root, 'agents/circles/skills/itself'));
  await symlink('../../agents', join(root, 'agents/circles/extensions'));
  const server = await serve(root);
  const ids = [...new Set(Object.keys(HOSTILE).flatMap((path) => /^agents\/([^/]+)/.exec(path)?.[1] ?? []))];

  let isDone = false;
  const waits: number[] = [];
  const others = (async () => {
    while (!isDone) {
      const begin = performance.now();
      await server.call('GET', '/api/agents');
      waits.push(performance.now() - begin);
    }
  })();
  const slow: string[] = [];
  for (const id of [...ids, 'circles']) {
    const begin = performance.now();
    const { status, body } = await server.call('GET', `/api/agents/${id}/checks`);
    expect([id, status]).toEqual([id, 200]);
    expect(body.findings.length).toBeLessThanOrEqual(500);
    // The promise is one second. A busy machine gets more, because a quadratic rule would take minutes.
    if (performance.now() - begin > 5_000) slow.push(id);
  }
  expect((await server.call('GET', '/api/checks')).status).toBe(200);
  isDone = true;
  await others;
  expect(slow).toEqual([]);
  expect(waits.length).toBeGreaterThan(3);
  expect(Math.max(...waits)).toBeLessThan(2_000);

  const many = await server.call('GET', '/api/agents/many-args/checks');
  expect(many.body.truncated).toBe(true);
  await writeFile(join(root, 'agents/many-args/pi-args'), '--no-session\n');
  expect((await server.call('GET', '/api/agents/many-args/checks')).body.truncated).toBe(false);
});
