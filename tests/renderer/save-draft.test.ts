import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { drafts } from '../../src/renderer/src/drafts/drafts.ts';
import { failedSaves, saveDraft, saveDrafts } from '../../src/renderer/src/features/files/save-draft.ts';
import { eventually } from '../support/eventually.ts';

/** The writes that came, each answered when the test says so. */
let writes: { sent: unknown; ifMatch: string | undefined; answer: (status: number, body: unknown) => void }[];
let client: QueryClient;

beforeEach(() => {
  writes = [];
  client = new QueryClient();
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  vi.stubGlobal('fetch', (_url: string, init: RequestInit) => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    writes.push({
      sent: JSON.parse(String(init.body)).content,
      ifMatch: new Headers(init.headers).get('if-match') ?? undefined,
      answer: (status, body) => resolve(new Response(JSON.stringify(body), { status })),
    });
    return promise;
  });
  type('one');
});

afterEach(() => {
  drafts.openRoot(null);
  client.clear();
  vi.unstubAllGlobals();
});

const type = (text: string): void =>
  drafts.put({
    root: 'r',
    id: 'scout',
    file: 'SYSTEM.md',
    base: { content: '', etag: '"0"' },
    saving: false,
    error: null,
    restoredFrom: null,
    origin: null,
    typedAt: 1000,
    ...drafts.get('scout', 'SYSTEM.md'),
    text,
  });
const save = () => saveDraft(client, 'scout', 'SYSTEM.md');
const arrived = (count: number) => eventually(() => expect(writes).toHaveLength(count), 1);

it('a save that is requested during another one follows it, with what was typed since and the new etag', async () => {
  const first = save();
  type('two');
  const second = save();
  type('three');
  const third = save();
  await arrived(1);
  writes[0]?.answer(200, { ok: true, etag: '"1"', created: false });
  expect(await first).toBe(true);
  await arrived(2);
  expect(writes.map(({ sent, ifMatch }) => [sent, ifMatch])).toEqual([
    ['one', '"0"'],
    ['three', '"1"'],
  ]);
  writes[1]?.answer(200, { ok: true, etag: '"2"', created: false });
  expect([await second, await third]).toEqual([true, true]);
  expect(drafts.all()).toEqual([]);
});

it('a save that is requested again with nothing typed since writes nothing more', async () => {
  const both = [save(), saveDrafts(client, 'scout', ['SYSTEM.md'])];
  await arrived(1);
  writes[0]?.answer(200, { ok: true, etag: '"1"', created: false });
  expect(await Promise.all(both)).toEqual([true, null]);
  expect(writes).toHaveLength(1);
});

it('a save that fails cancels the one waiting behind it, with the reason in the draft', async () => {
  const both = [save(), save()];
  const failed = failedSaves('scout');
  await arrived(1);
  writes[0]?.answer(500, { error: 'The disk is full.', code: 'internal' });
  expect(await Promise.all(both)).toEqual([false, false]);
  expect(await failed).toEqual(['SYSTEM.md']);
  expect(writes).toHaveLength(1);
  expect(drafts.get('scout', 'SYSTEM.md')).toMatchObject({
    saving: false,
    error: { message: 'The disk is full.' },
  });
});
