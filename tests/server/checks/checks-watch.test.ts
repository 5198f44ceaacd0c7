import { fork } from 'node:child_process';
import { once } from 'node:events';
import { link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createChecks } from '../../../src/server/checks/checks-scan.ts';
import { createRoot } from '../../../src/server/platform/root.ts';
import { createSettledWatch } from '../../../src/server/platform/settled-watch.ts';
import { until } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const EDITS = 100;

/** Starts another process that edits a root. The result makes one edit and describes it. */
const startEditing = (root: string, seed: number): (() => Promise<string>) => {
  const path = fileURLToPath(new URL('../../support/random-edits.ts', import.meta.url));
  const editor = fork(path, [root, String(seed)]);
  onTestFinished(() => void editor.kill());
  return async () => {
    const answer = once(editor, 'message');
    editor.send('edit');
    return String((await answer)[0]);
  };
};

const countsOf = (root: string, home: string) => createChecks(createRoot(root), home, () => undefined).counts;

test('the very next request for the counts has an edit by another process', async () => {
  const root = await makeRoot();
  const server = await serve(root, { environment: { MODEL_PRICING_PATH: join(root, 'no-prices.json') } });
  const edit = startEditing(root, 20_261_123);
  // Without a watch, everything is looked at each time.
  const look = countsOf(root, server.dataDirectory);
  const made: string[] = [];
  let changes = 0;
  let before = '';
  for (let i = 0; i < EDITS; i++) {
    made.push(await edit());
    const { status, body } = await server.call('GET', '/api/checks');
    const expected = await look().catch((error) => error.code);
    const found = status === 200 ? body : body.code;
    expect({ made: made.slice(-5), found }).toEqual({ made: made.slice(-5), found: expected });
    if (JSON.stringify(found) !== before) changes++;
    before = JSON.stringify(found);
  }
  expect(changes).toBeGreaterThan(EDITS / 4);
});

test.skipIf(process.platform !== 'linux')(
  'counts that nothing changed are not looked up on disk, except now and then for what is not reported',
  async () => {
    const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'You are a scout.\n' });
    const outside = await makeTempDirectory();
    const watch = createSettledWatch(root, join(outside, 'markers'));
    onTestFinished(() => watch?.close());
    const countWith = (lookEveryMs: number) =>
      createChecks(createRoot(root), outside, () => undefined, { watch, lookEveryMs }).counts;
    const [rarely, often] = [countWith(1e9), countWith(0)];
    const before = await rarely();
    expect(await rarely()).toBe(before);
    expect(await often()).toEqual(before);

    // A write through a second name is no event in the root.
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
