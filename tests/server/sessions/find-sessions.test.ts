import { Dirent } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { expect, test } from 'vitest';
import { createRoot } from '../../../src/server/platform/root.ts';
import { contextWithoutWatch } from '../../../src/server/root-model/coverage.ts';
import { createSessionFinder } from '../../../src/server/sessions/find-sessions.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** How many directory entries are in memory. */
const countEntries = () => Number(queryObjects(Dirent, { format: 'count' }));

test('what is known about a directory of runs goes with the directory', async () => {
  const root = await makeRoot({ 'agents/ada/SYSTEM.md': 'Hi' });
  const sold = await makeTempDirectory();
  const outside = await makeTempDirectory();
  const find = createSessionFinder(createRoot(root), root, {
    others: [{ agent: 'ada', path: outside }],
    sold,
  });
  const look = () => {
    const files: string[] = [];
    for (const found of find(contextWithoutWatch(Date.now())))
      if (typeof found === 'object' && 'files' in found) files.push(...found.files);
    return files.length;
  };
  const runs = Array.from({ length: 40 }, (_, at) => `run-${at}`);
  const places = [
    [root, 'agents/ada/sessions'],
    [root, 'workspaces/ada'],
    [outside, '.'],
    [sold, 'ada/sessions'],
  ] as const;
  expect(look()).toBe(0);
  const before = countEntries();
  for (const [top, directory] of places)
    await plant(
      top,
      Object.fromEntries(runs.map((name) => [join(directory, name, 'sessions/one.jsonl'), '{}\n'])),
    );
  expect(look()).toBe(places.length * runs.length);
  expect(countEntries() - before).toBeGreaterThan(places.length * runs.length);
  for (const [top, directory] of places)
    for (const name of runs) await rm(join(top, directory, name), { recursive: true });
  expect(look()).toBe(0);
  expect(countEntries() - before).toBeLessThan(20);
});
