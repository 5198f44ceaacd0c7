import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createRoot } from '../../src/server/platform/root.ts';
import { createWatchedScan, type Scan, type ScanContext } from '../../src/server/root-model/coverage.ts';
import { createRootWatch } from '../../src/server/root-model/watch.ts';
import { answerOf, comparedSessions, freshScans, rootViews } from '../support/fresh-scans.ts';
import { LONG_TEST_MS } from '../support/patience.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** `npm run edits` sets another number, and another seed. */
const EDITS = Number(process.env.EDITS ?? 100);
/** In `npm test`. */
const FEW_EDITS = 10;
const SEED = Number(process.env.EDITS_SEED ?? 20_261_123);

/** Starts another process that edits a root. The result makes one edit and describes it. */
const startEditing = (root: string, seed: number): (() => Promise<string>) => {
  const path = fileURLToPath(new URL('../support/random-edits.ts', import.meta.url));
  const editor = fork(path, [root, String(seed)]);
  onTestFinished(() => void editor.kill());
  return async () => {
    const answer = once(editor, 'message');
    editor.send('edit');
    return String((await answer)[0]);
  };
};

/** Makes edits in another process, and compares each next response with the disk. Returns which lists changed how often. */
const compareEdits = async (edits: number) => {
  const root = await makeRoot();
  const modelsPath = join(root, 'prices.json');
  const server = await serve(root, { environment: { MODEL_PRICING_PATH: modelsPath } });
  const edit = startEditing(root, SEED);
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const readAsOperator = (path: string) => server.call('GET', path, undefined, operator);
  const lists = Object.entries(freshScans(root, { home: server.dataDirectory, modelsPath }));
  const made: string[] = [];
  const before = new Map<string, string>();
  const changes = new Map<string, number>();
  for (let i = 0; i < edits; i++) {
    made.push(await edit());
    const { answered, onDisk } = await comparedSessions(root, readAsOperator);
    expect(answered, `sessions after edit ${i} of seed ${SEED}: ${made.slice(-5)}`).toEqual(onDisk);
    const answers = await Promise.all(
      lists.map(async ([path]) => {
        const { status, body } = await server.call('GET', path);
        return status === 200 ? body : body.code;
      }),
    );
    for (const [at, [path, read]] of lists.entries()) {
      const expected = await answerOf(read);
      expect(answers[at], `${path} after edit ${i} of seed ${SEED}: ${made.slice(-5)}`).toEqual(expected);
      const text = JSON.stringify(expected);
      if (text !== before.get(path)) changes.set(path, (changes.get(path) ?? 0) + 1);
      before.set(path, text);
    }
  }
  return { lists, changes };
};

test('the very next request for each list has an edit by another process', {
  timeout: LONG_TEST_MS,
}, async () => {
  const { changes } = await compareEdits(FEW_EDITS);
  expect(changes.size).toBeGreaterThan(FEW_EDITS / 5);
});

test('each list shows some of many edits by another process, in the very next response', {
  tags: 'slow',
  timeout: LONG_TEST_MS,
}, async () => {
  const { lists, changes } = await compareEdits(EDITS);
  // A list that never changes would be noticed.
  for (const [path] of lists) expect([path, (changes.get(path) ?? 0) > EDITS / 200]).toEqual([path, true]);
});

test.skipIf(process.platform !== 'linux')(
  'a list that nothing changed isn’t looked up on disk, except now and then for what is not reported',
  async () => {
    const path = await makeRoot({ 'agents/scout/SYSTEM.md': 'You are a scout.\n' });
    const outside = await makeTempDirectory();
    const watch = createRootWatch(path, join(outside, 'markers'));
    if (!watch) throw new Error('this system has no trusted watch');
    onTestFinished(() => watch.close());
    const _root = createRoot(path);
    let looks = 0;
    const asking = <T>(scan: Scan<T>, lookEveryMs: number) => {
      const counted = (at: ScanContext) => {
        looks++;
        return scan(at);
      };
      const watched = createWatchedScan(counted, watch, { lookEveryMs });
      return async () => watched.run(await watch.catchUp());
    };
    const agents = asking(rootViews(path).views.agents, 1e9);
    const before = await agents();
    expect([await agents(), await agents(), looks]).toEqual([before, before, 1]);
    // Without a turn of the event loop in between, so that only the marker can wait for the event.
    for (let i = 0; i < 20; i++) {
      writeFileSync(join(path, 'agents/scout/workspace.conf'), '');
      expect((await agents()).agents).toMatchObject([{ workspace: true }]);
      rmSync(join(path, 'agents/scout/workspace.conf'));
      expect((await agents()).agents).toMatchObject([{ workspace: false }]);
    }
    // A write into a file is seen too, which the fingerprint of the directory doesn't show.
    const { agents: unwritten } = await agents();
    writeFileSync(join(path, 'agents/scout/SYSTEM.md'), 'You are another scout.\n');
    utimesSync(join(path, 'agents/scout/SYSTEM.md'), 2e9, 2e9);
    expect((await agents()).agents).not.toEqual(unwritten);

    // A kind that the root has no folder for.
    const prompts = asking(rootViews(path).views.prompts, 1e9);
    const looksBefore = looks;
    const none = await prompts();
    expect([await prompts(), await prompts(), looks - looksBefore]).toEqual([none, none, 1]);
    mkdirSync(join(path, 'shared/prompts'));
    writeFileSync(join(path, 'shared/prompts/new.md'), 'New.');
    expect((await prompts()).prompts).toMatchObject([{ description: 'New.' }]);
    writeFileSync(join(path, 'shared/prompts/new.md'), 'Another.');
    expect((await prompts()).prompts).toMatchObject([{ description: 'Another.' }]);

    const [rarely, often] = [
      asking(rootViews(path).views.skills, 1e9),
      asking(rootViews(path).views.skills, 0),
    ];
    const file = join(path, 'shared/skills/git-summary/SKILL.md');
    const skills = await rarely();
    expect(await often()).toEqual(skills);
    // A write through a second name is no event in the root.
    await link(file, join(outside, 'second-name'));
    await writeFile(join(outside, 'second-name'), '---\nname: git-summary\ndescription: Other.\n---\n');
    expect(await rarely()).toBe(skills);
    await until(async () => JSON.stringify(await often()) !== JSON.stringify(skills));
  },
);
