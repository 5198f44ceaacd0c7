import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ANYONE_READER } from '../../../src/server/platform/caller.ts';
import { createKnownTexts, createPiDisk } from '../../../src/server/platform/pi-disk.ts';
import { makeRoot } from '../../support/root.ts';

const SECRET = '{"apiKey":"hidden-4711"}';

test('a text that was kept for a hidden file is never that of a file that a link replaces afterwards', async () => {
  const root = await makeRoot({
    'agents/other/models.json': SECRET,
    'agents/scout/SYSTEM.md': { link: '../other/models.json' },
  });
  const path = join(root, 'agents/scout/SYSTEM.md');
  const texts = createKnownTexts();
  // Later, so that texts are kept.
  const open = () => createPiDisk(ANYONE_READER, { root, ownData: [] }, texts, Date.now() + 60_000);
  const first = open();
  const text = first.readText(path) ?? '';
  expect([text, first.shown(path, text, 'SYSTEM.md')]).toEqual([SECRET, '[hidden: SYSTEM.md]']);

  await rm(path);
  await writeFile(path, 'You are a scout.\n');
  const second = open();
  expect(second.isShown(path)).toBe(true);
  await rm(path);
  await symlink('../other/models.json', path);
  expect(second.readText(path)).toBeUndefined();
});
