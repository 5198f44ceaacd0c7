import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createJournal } from '../../src/server/changes/journal.ts';
import { createOtherPrograms } from '../../src/server/changes/other-programs.ts';
import { systemClock } from '../../src/server/platform/clock.ts';
import { createEtagOf } from '../../src/server/platform/etag.ts';
import { createFairLock } from '../../src/server/platform/keyed-lock.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { answerSeen, type SeenQuestion } from '../../src/server/root-model/seen-states.ts';
import { eventually } from '../support/eventually.ts';
import { followEvents } from '../support/follow.ts';
import { makeRoot } from '../support/root.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { briefly, ON_REQUEST, SOON, servePrograms, startPrograms } from './history.ts';

test('an edit by another program is an entry with both texts, and undo restores it byte for byte', async () => {
  const old = '\uFEFFYou are\r\na scout.';
  const { seen, edit, list, get, undo, text } = await startPrograms({ 'agents/scout/SYSTEM.md': old });
  await seen();
  await edit('SYSTEM.md', 'New.\n');
  const [change] = await list('?agent=scout');
  expect(change).toMatchObject({
    by: { kind: 'program' },
    label: 'Changed by another program',
    summary: 'SYSTEM.md +1 −2',
    state: 'done',
    items: 1,
    applied: 1,
  });
  const { paths } = await get(change?.id ?? '');
  expect(paths).toEqual([
    {
      path: 'agents/scout/SYSTEM.md',
      state: 'applied',
      canUndo: true,
      before: { is: 'file', text: old },
      after: { is: 'file', text: 'New.\n' },
    },
  ]);
  expect(await undo(change?.id ?? '')).toMatchObject({ applied: 1, refused: [] });
  expect(await text('SYSTEM.md')).toBe(old);
  // Neither the undo nor an entry of dot-mi appears twice.
  expect(briefly(await list('?agent=scout'))).toEqual([
    ['operator', 'SYSTEM.md +2 −1'],
    ['program', 'SYSTEM.md +1 −2'],
  ]);
});

test('a change while dot-mi was stopped is found at the next start, without any request', async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Old.\n' });
  const dataDirectory = await makeTempDirectory();
  const first = await servePrograms(root, { dataDirectory, lookTimes: ON_REQUEST });
  await first.list('?agent=courier');
  await first.server.close();
  await writeFile(join(root, 'agents/courier/SYSTEM.md'), 'While it was stopped.\n');
  const { list, get } = await servePrograms(root, { dataDirectory, lookTimes: SOON });
  await eventually(async () => expect((await list()).length).toBe(1));
  const [change] = await list();
  expect((await get(change?.id ?? '')).paths[0]?.before).toEqual({ is: 'file', text: 'Old.\n' });
});

test('the writes of an editor in a short time are one entry, which the open page hears of', async () => {
  const { server, seen, edit, path, list, get } = await startPrograms(
    {},
    { lookTimes: { ...SOON, firstMs: 1e6 } },
  );
  await seen();
  const { events } = await followEvents(server.url, { Authorization: `Bearer ${server.operatorToken}` });
  await eventually(() => expect(events.some(({ name }) => name === 'agents')).toBe(true));
  for (let step = 1; step <= 5; step++) {
    await edit('SYSTEM.md', `Step ${step}.\n`);
    await edit('.SYSTEM.md.swp', 'x');
    await rename(path('.SYSTEM.md.swp'), path('AGENT.md'));
    await list('?agent=scout');
  }
  await eventually(async () => expect((await list()).length).toBe(1));
  const [change] = await list();
  expect(change?.summary).toBe('scout/SYSTEM.md +1 −1, create scout/AGENT.md +1');
  expect((await get(change?.id ?? '')).paths[0]?.after.text).toBe('Step 5.\n');
  await eventually(() => expect(events.some(({ name }) => name === 'changes')).toBe(true));
  expect(await list()).toHaveLength(1);
});

test('a save over an edit that nobody has seen yet keeps that edit in the history', async () => {
  const { seen, edit, save, list, undo, text } = await startPrograms(
    {},
    {
      lookTimes: { ...ON_REQUEST, quietMs: 60_000 },
    },
  );
  await seen();
  await edit('SYSTEM.md', 'Theirs.\n');
  await save('SYSTEM.md', 'Ours.\n');
  const [ours, theirs] = await list();
  expect([ours?.by.kind, theirs?.by.kind]).toEqual(['operator', 'program']);
  await undo(ours?.id ?? '');
  expect(await text('SYSTEM.md')).toBe('Theirs.\n');
  await undo(theirs?.id ?? '');
  expect(await text('SYSTEM.md')).toBe('You are a scout.\n');
});

test('neither a key nor a caller without a token can undo what another program changed', async () => {
  const { server, seen, edit, list } = await startPrograms();
  await seen();
  await edit('SYSTEM.md', 'New.\n');
  const [change] = await list('?agent=scout');
  const { body } = await server.asOperator('POST', '/api/keys', {
    label: 'x',
    agent: 'scout',
    scopes: ['write-agent'],
  });
  for (const headers of [{}, { Authorization: `Bearer ${body.key}` }])
    expect((await server.call('POST', `/api/changes/${change?.id}/undo`, undefined, headers)).body.code).toBe(
      'operator_required',
    );
});

test('what other programs change in shared entries is in the history of each, and undo restores it byte for byte', async () => {
  const old = '\uFEFFOne\r\ntwo';
  const { root, list, get, undo, asOperator } = await startPrograms({
    'shared/skills/pdf/SKILL.md': old,
    'shared/skills/pdf/references/api.md': 'Api.\n',
    'shared/prompts/review.md': 'Review.\n',
  });
  const at = (path: string) => join(root, 'shared', path);
  const history = (entry: string) => list(`?shared=${entry}`);
  for (const entry of ['skills/pdf', 'prompts/review.md']) expect(await history(entry)).toEqual([]);
  await writeFile(at('skills/pdf/SKILL.md'), 'New.\n');
  await rm(at('skills/pdf/references'), { recursive: true });
  await writeFile(at('skills/pdf/notes.md'), 'Notes.\n');
  await mkdir(at('skills/pdf/node_modules/x'), { recursive: true });
  await writeFile(at('skills/pdf/node_modules/x/index.js'), 'x');
  await writeFile(at('prompts/review.md'), 'Review it.\n');
  const [change] = await history('skills/pdf');
  expect([change?.by.kind, change?.summary]).toEqual([
    'program',
    'SKILL.md +1 −2, create notes.md +1, remove references/api.md −1',
  ]);
  expect((await get(change?.id ?? '')).paths[0]?.before.text).toBe(old);
  expect(await undo(change?.id ?? '')).toMatchObject({ applied: 3, refused: [] });
  expect(await readFile(at('skills/pdf/SKILL.md'), 'utf8')).toBe(old);
  expect(await readFile(at('skills/pdf/references/api.md'), 'utf8')).toBe('Api.\n');
  expect(briefly(await history('prompts/review.md'))).toEqual([['program', 'review.md +1 −1']]);
  // Neither the undo nor a change set of dot-mi appears twice, and a save keeps an edit that nobody has seen.
  await writeFile(at('skills/pdf/SKILL.md'), 'Theirs.\n');
  const shared = { kind: 'skills', name: 'pdf' };
  const items = [{ shared, file: 'SKILL.md', content: 'Ours.\n' }];
  await asOperator('POST', '/api/changes', { label: 'Ours', items });
  expect((await history('skills/pdf')).map(({ by }) => by.kind)).toEqual([
    'operator',
    'program',
    'operator',
    'program',
  ]);
});

test('what another program does to a preset is in the history, and undo restores it byte for byte', async () => {
  const old = '{\n\t"skills": ["pdf"]\n}\n';
  const { root, list, get, undo } = await startPrograms({ 'shared/presets/web.json': old });
  const history = () => list('?shared=presets/web.json');
  expect(await history()).toEqual([]);
  const path = join(root, 'shared/presets/web.json');
  await writeFile(path, '{ "skills": [] }\n');
  expect(briefly(await history())).toEqual([['program', 'web.json +1 −3']]);
  const [change] = await history();
  expect((await get(change?.id ?? '')).paths[0]).toMatchObject({
    path: 'shared/presets/web.json',
    canUndo: true,
    before: { is: 'file' },
  });
  expect(await undo(change?.id ?? '')).toMatchObject({ applied: 1, refused: [] });
  expect(await readFile(path, 'utf8')).toBe(old);
  await rm(path);
  expect((await history()).map(({ by }) => by.kind)).toEqual(['program', 'operator', 'program']);
});

test('a look that is older than what the history knows by now makes no entry', async () => {
  const root = await makeRoot();
  const path = join(root, 'agents/scout/SYSTEM.md');
  const journal = createJournal(join(await makeTempDirectory(), 'changes.sqlite'), Date, console);
  onTestFinished(journal.close);
  const place = { root: createRoot(root), etagOf: createEtagOf('key') };
  let gate = Promise.resolve();
  const others = createOtherPrograms({
    journal,
    agentLock: createFairLock(),
    // Reads at once, and answers late.
    disk: {
      async ask(question) {
        const json = Buffer.from(JSON.stringify(answerSeen(place, question as SeenQuestion, Date.now())));
        await gate;
        return { json } as never;
      },
    },
    clock: systemClock,
    logger: console as never,
    ready: async () => undefined,
    changed: () => undefined,
  });
  onTestFinished(others.close);
  await others.lookAt('agents/scout', true);
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const late = others.lookAt('agents/scout', true);
  await new Promise((done) => setTimeout(done, 20));
  await writeFile(path, 'Theirs.\n');
  // A change set records what it replaces before it writes.
  const file = (text: string) => ({ is: 'file', text }) as const;
  const items = [{ path: 'agents/scout/SYSTEM.md', before: file('Theirs.\n'), after: file('Ours.\n') }];
  await journal.begin({ by: { kind: 'operator' }, label: 'Ours', items });
  resolve();
  await late;
  const summaries = journal
    .list({ subject: 'agents/scout', limit: 10 })
    .map(({ by, seq }) => [by.kind, journal.items(seq)[0]?.after]);
  expect(summaries).toMatchObject([['program', file('Theirs.\n')]]);
});
