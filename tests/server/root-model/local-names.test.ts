import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocalNames } from '../../../src/server/catalog/local-names.ts';
import { createRoot } from '../../../src/server/platform/root.ts';
import { createWatchedScan } from '../../../src/server/root-model/coverage.ts';
import { createRootWatch } from '../../../src/server/root-model/watch.ts';
import { makeRoot } from '../../support/root.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** More directories than one scan may cover for values that are quick to read. */
const AGENTS = 600;

test.skipIf(process.platform !== 'linux')(
  'the names of agents’ own skills are read once, however many there are',
  async () => {
    const paths = Array.from({ length: AGENTS }, (_, i) => `agents/a${i}/skills/own`);
    const skill = '---\nname: own\ndescription: Does it.\n---\n';
    const root = createRoot(
      await makeRoot(Object.fromEntries(paths.map((path) => [`${path}/SKILL.md`, skill]))),
    );
    const watch = createRootWatch(root.path, join(await makeTempDirectory(), 'watch'));
    if (!watch) throw new Error('this file system has no watch');
    const { skills } = createLocalNames(root);
    let scans = 0;
    const scan = createWatchedScan(
      (at) => {
        scans++;
        return paths.filter((path) => skills.one(join(root.path, path), at) === 'own').length;
      },
      watch,
      { lookEveryMs: 600_000 },
    );
    const read = async () => scan.run(await watch.catchUp());
    expect([await read(), await read(), scans]).toEqual([AGENTS, AGENTS, 1]);
    watch.close();
  },
);
