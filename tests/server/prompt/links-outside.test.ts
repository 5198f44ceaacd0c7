import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** What is a link out of the root, and what is at its end or in the directory there. */
const PLACES: readonly (readonly [path: string, end: string])[] = [
  ['agents/scout/SYSTEM.md', ''],
  ['agents/scout/APPEND_SYSTEM.md', ''],
  ['agents/scout/AGENTS.md', ''],
  ['agents/scout/settings.json', ''],
  ['agents/scout/mcp.json', ''],
  ['agents/scout/skills', 'own/SKILL.md'],
  ['agents/scout/skills/away', 'SKILL.md'],
  ['agents/scout/skills/away.md', ''],
  ['agents/scout/extensions/pack', 'index.ts'],
  ['agents/scout/extensions/own.ts', ''],
  ['.agents/skills/away', 'SKILL.md'],
  ['.pi/SYSTEM.md', ''],
];

test('a prompt isn’t complete if a link leaves the root, and doesn’t say whether its target exists', async () => {
  const outside = join(await makeTempDirectory(), 'away');
  const root = await makeRoot({ 'agents/named/pi-args': `--append-system-prompt\n${outside}\n` });
  const { call } = await serve(root);
  const both = async (id: string, end: string) => {
    const ask = async () => (await call('GET', `/api/agents/${id}/prompt?trusted=true`)).body;
    const missing = await ask();
    const file = join(outside, end);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '---\nname: away\ndescription: Away.\n---\n');
    const there = await ask();
    await rm(outside, { recursive: true });
    return { missing, there };
  };
  for (const [path, end] of PLACES) {
    const place = join(root, path);
    await rm(place, { recursive: true, force: true });
    await mkdir(dirname(place), { recursive: true });
    await symlink(outside, place);
    const { missing, there } = await both('scout', end);
    await rm(place);
    expect([path, missing.complete, missing]).toEqual([path, false, there]);
  }
  const { missing, there } = await both('named', '');
  expect([missing.complete, missing]).toEqual([false, there]);
});
