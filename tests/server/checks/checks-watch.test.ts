import { link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWatchedScan } from '../../../src/server/root-model/coverage.ts';
import { createRootWatch } from '../../../src/server/root-model/watch.ts';
import { rootViews } from '../../support/fresh-scans.ts';
import { until } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { makeTempDirectory } from '../../support/temp.ts';

test.skipIf(process.platform !== 'linux')(
  'counts that nothing changed are not looked up on disk, except now and then for what is not reported',
  async () => {
    const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'You are a scout.\n' });
    const outside = await makeTempDirectory();
    const watch = createRootWatch(root, join(outside, 'markers'));
    if (!watch) throw new Error('this system has no trusted watch');
    onTestFinished(() => watch.close());
    const countWith = (lookEveryMs: number) => {
      const { counts, facts } = rootViews(root, { home: outside }).checks;
      const scan = createWatchedScan(counts, watch, { lookEveryMs, dependsOn: facts });
      return async () => scan.run(await watch.catchUp());
    };
    const [rarely, often] = [countWith(1e9), countWith(0)];
    const before = await rarely();
    expect(await rarely()).toBe(before);
    expect(await often()).toEqual(before);

    // A write through a second name causes no event in the root.
    await link(join(root, 'agents/scout/SYSTEM.md'), join(outside, 'second-name'));
    await writeFile(join(outside, 'second-name'), '');
    expect(await rarely()).toBe(before);
    await until(async () => (await often()).agents.length > before.agents.length);
    // Another write in the root, so that its directory is looked at.
    await writeFile(join(root, 'agents/scout/SYSTEM.md'), ' \n');
    const after = await rarely();
    expect(after).not.toEqual(before);
    // The file has two names now, so it is always looked at.
    await writeFile(join(outside, 'second-name'), 'You are a scout.\n');
    expect(await rarely()).toEqual(before);
  },
);
