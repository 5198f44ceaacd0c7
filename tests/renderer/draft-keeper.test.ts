import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEEP_WITHIN_MS, keepDrafts } from '../../src/renderer/src/drafts/draft-keeper.ts';
import type { DraftKey, DraftStore, KeptDraft } from '../../src/renderer/src/drafts/draft-store.ts';
import { createDrafts, type Draft } from '../../src/renderer/src/drafts/drafts.ts';

const draft = (text: string, id = 'scout'): Draft => ({
  root: 'r',
  id,
  file: 'SYSTEM.md',
  text,
  base: { content: 'a', etag: '"1"' },
  saving: false,
  error: null,
  restoredFrom: null,
});

/** A store as draft-store.ts promises one, in memory; the real one is in the end-to-end tests. */
const createMemoryStore = () => {
  const kept = new Map<string, KeptDraft>();
  const keyOf = ({ root, id, file }: DraftKey) => [root, id, file].join('|');
  const put = vi.fn(async (item: KeptDraft) => {
    kept.set(keyOf(item), item);
  });
  const store: DraftStore = {
    all: async (root) => [...kept.values()].filter((item) => item.root === root),
    put,
    remove: async (key, version) => {
      const there = kept.get(keyOf(key));
      if (there?.writer === version.writer && there.changedAt === version.changedAt) kept.delete(keyOf(key));
    },
  };
  return { store, put, texts: () => [...kept.values()].map((item) => item.text) };
};

const open = (store: DraftStore, writer: string, root = '/root') => {
  const drafts = createDrafts();
  const onFailure = vi.fn();
  const keeper = keepDrafts({ drafts, store, root, rootId: 'r', writer, now: () => Date.now(), onFailure });
  return { drafts, keeper, onFailure };
};

beforeEach(() => void vi.useFakeTimers({ now: 1000 }));
afterEach(() => void vi.useRealTimers());

describe('keepDrafts', () => {
  it('writes while the operator types without a pause, but not at each key', async () => {
    const { store, put, texts } = createMemoryStore();
    const { drafts } = open(store, 'one');
    for (let key = 0; key < 20; key++) {
      drafts.put(draft(`text ${key}`));
      await vi.advanceTimersByTimeAsync(KEEP_WITHIN_MS / 10);
    }
    expect(put).toHaveBeenCalledTimes(2);
    expect(texts()).toEqual(['text 19']);
  });

  it('writes at once when the page may close', async () => {
    const { store, texts } = createMemoryStore();
    const { drafts, keeper } = open(store, 'one');
    drafts.put(draft('mine'));
    keeper.flush();
    expect(texts()).toEqual(['mine']);
  });

  it('writes nothing when no text changed', async () => {
    const { store, put } = createMemoryStore();
    const { drafts, keeper } = open(store, 'one');
    drafts.put(draft('mine'));
    keeper.flush();
    drafts.patch('scout', 'SYSTEM.md', { saving: true });
    await vi.runAllTimersAsync();
    expect(put).toHaveBeenCalledTimes(1);
  });

  it('removes saved or discarded drafts, even before they were ever written', async () => {
    const { store, texts } = createMemoryStore();
    const { drafts, keeper } = open(store, 'one');
    drafts.put(draft('mine'));
    drafts.remove('scout', 'SYSTEM.md');
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([]);
    drafts.put(draft('mine'));
    keeper.flush();
    drafts.remove('scout', 'SYSTEM.md');
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([]);
  });

  it('restores several drafts with the version they were made from, but only those of this root', async () => {
    const { store, texts } = createMemoryStore();
    const first = open(store, 'one');
    first.drafts.put(draft('mine'));
    first.drafts.put(draft('other', 'courier'));
    first.keeper.stop();
    expect(await open(store, 'two', '/elsewhere').keeper.restore()).toEqual([]);
    const second = open(store, 'three');
    expect(await second.keeper.restore()).toHaveLength(2);
    expect(second.drafts.get('scout', 'SYSTEM.md')).toEqual({ ...draft('mine'), restoredFrom: 1000 });
    await vi.runAllTimersAsync();
    expect(texts()).toEqual(['mine', 'other']);
  });

  it('removes no text that another page typed since', async () => {
    const { store, texts } = createMemoryStore();
    const first = open(store, 'one');
    first.drafts.put(draft('mine'));
    first.keeper.flush();
    const second = open(store, 'two');
    await second.keeper.restore();
    first.drafts.put(draft('mine, and more'));
    first.keeper.flush();
    second.drafts.remove('scout', 'SYSTEM.md');
    await vi.runAllTimersAsync();
    expect(texts()).toEqual(['mine, and more']);
    first.drafts.remove('scout', 'SYSTEM.md');
    await vi.runAllTimersAsync();
    expect(texts()).toEqual([]);
  });

  it('keeps every draft when it stops, and ignores later changes', async () => {
    const { store, texts } = createMemoryStore();
    const { drafts, keeper } = open(store, 'one');
    drafts.put(draft('mine'));
    keeper.stop();
    drafts.openRoot(null);
    await vi.runAllTimersAsync();
    expect(texts()).toEqual(['mine']);
  });

  it('reports only once that the browser stores nothing', async () => {
    const { store, put } = createMemoryStore();
    put.mockRejectedValue(new Error('no room'));
    const { drafts, keeper, onFailure } = open(store, 'one');
    for (const text of ['one', 'two']) {
      drafts.put(draft(text));
      keeper.flush();
      await vi.runAllTimersAsync();
    }
    expect(onFailure).toHaveBeenCalledTimes(1);
  });
});
