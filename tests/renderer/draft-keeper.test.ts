import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEEP_WITHIN_MS, keepDrafts } from '../../src/renderer/src/drafts/draft-keeper.ts';
import type { DraftHead, KeptDraft, RootDrafts } from '../../src/renderer/src/drafts/draft-stores.ts';
import { createPageDrafts, type Draft } from '../../src/renderer/src/drafts/drafts.ts';

const draft = (text: string, id = 'scout'): Draft => ({
  root: 'r',
  id,
  file: 'SYSTEM.md',
  text,
  base: { content: 'a', etag: '"1"' },
  typedAt: Date.now(),
  saving: false,
  error: null,
  restoredFrom: null,
  origin: null,
});

/** A store as draft-stores.ts promises one, in memory; the real ones are in the end-to-end tests. */
const createMemoryStore = () => {
  const kept = new Map<string, KeptDraft & DraftHead>();
  let versions = 0;
  let failing = false;
  const keyOf = ({ id, file, writer }: Pick<KeptDraft, 'id' | 'file' | 'writer'>) =>
    [id, file, writer].join('|');
  const attempt = async <T>(act: () => T): Promise<T> => {
    if (failing) throw new Error('no room');
    return act();
  };
  const removeIn = (ref: Pick<DraftHead, 'id' | 'file' | 'writer' | 'version'>): void => {
    if (kept.get(keyOf(ref))?.version === ref.version) kept.delete(keyOf(ref));
  };
  const put = vi.fn<RootDrafts['put']>((item, replaces) =>
    attempt(() => {
      const version = String(++versions);
      kept.set(keyOf(item), { ...item, version });
      if (replaces) removeIn(replaces);
      return version;
    }),
  );
  const store: RootDrafts = {
    all: () => attempt(() => [...kept.values()]),
    read: (ref) => attempt(() => kept.get(keyOf(ref))),
    put,
    remove: (ref) => attempt(() => removeIn(ref)),
  };
  return {
    store,
    put,
    heads: () => [...kept.values()],
    texts: () => [...kept.values()].map((item) => item.text),
    fail: (fails: boolean) => {
      failing = fails;
    },
  };
};

type Memory = ReturnType<typeof createMemoryStore>;
let server: Memory;
let browser: Memory;

const open = (writer: string, mayUseServer = true) => {
  const drafts = createPageDrafts();
  const onLost = vi.fn();
  const keeper = keepDrafts({
    drafts,
    server: server.store,
    mayUseServer: () => mayUseServer,
    browser: browser.store,
    rootId: 'r',
    writer,
    onLost,
  });
  return { drafts, keeper, onLost };
};
const settle = () => vi.advanceTimersByTimeAsync(KEEP_WITHIN_MS);

beforeEach(() => {
  vi.useFakeTimers({ now: 1000 });
  server = createMemoryStore();
  browser = createMemoryStore();
});
afterEach(() => void vi.useRealTimers());

describe('keepDrafts', () => {
  it('writes while the operator types without a pause, but not at each key or without a change', async () => {
    const { drafts } = open('one');
    for (let key = 0; key < 20; key++) {
      drafts.put(draft(`text ${key}`));
      await vi.advanceTimersByTimeAsync(KEEP_WITHIN_MS / 10);
    }
    expect(server.put.mock.calls.length).toBeLessThanOrEqual(3);
    await settle();
    expect([server.texts(), browser.texts()]).toEqual([['text 19'], []]);
    const { length } = server.put.mock.calls;
    drafts.patch('scout', 'SYSTEM.md', { saving: true });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(server.put).toHaveBeenCalledTimes(length);
  });

  it('removes saved or discarded drafts, even before they were ever written', async () => {
    const { drafts, keeper } = open('one');
    drafts.put(draft('mine'));
    drafts.remove('scout', 'SYSTEM.md');
    await settle();
    expect(server.texts()).toEqual([]);
    drafts.put(draft('mine'));
    keeper.flush();
    drafts.remove('scout', 'SYSTEM.md');
    await settle();
    expect(server.texts()).toEqual([]);
  });

  it('restores the latest draft of each file, and continues it under its own name', async () => {
    const first = open('one');
    first.drafts.put(draft('mine'));
    first.drafts.put(draft('other', 'courier'));
    first.keeper.stop();
    await settle();
    const second = open('two');
    expect(await second.keeper.restore()).toHaveLength(2);
    expect(second.drafts.get('scout', 'SYSTEM.md')).toMatchObject({
      text: 'mine',
      restoredFrom: 1000,
      origin: { writer: 'one', typedAt: 1000 },
    });
    second.drafts.put({ ...draft('mine, and more'), restoredFrom: 1000 });
    await settle();
    expect(server.heads().map(({ text, writer }) => [text, writer])).toEqual([
      ['other', 'one'],
      ['mine, and more', 'two'],
    ]);
  });

  it('removes no text that another page typed since', async () => {
    const first = open('one');
    first.drafts.put(draft('mine'));
    await settle();
    const second = open('two');
    await second.keeper.restore();
    first.drafts.put(draft('mine, and more'));
    await settle();
    second.drafts.remove('scout', 'SYSTEM.md');
    await settle();
    expect(server.texts()).toEqual(['mine, and more']);
    first.drafts.remove('scout', 'SYSTEM.md');
    await settle();
    expect(server.texts()).toEqual([]);
  });

  it('keeps its text again after another page discarded the kept copy', async () => {
    const first = open('one');
    first.drafts.put(draft('mine'));
    await settle();
    const second = open('two');
    await second.keeper.restore();
    second.drafts.remove('scout', 'SYSTEM.md');
    await settle();
    expect(server.texts()).toEqual([]);
    first.keeper.compare(server.heads());
    await settle();
    expect(server.texts()).toEqual(['mine']);
  });

  it('replaces its text by another page’s only when asked, and gives neither up until then', async () => {
    const first = open('one');
    first.drafts.put(draft('from one'));
    const second = open('two');
    second.drafts.put(draft('from two'));
    await settle();
    expect(server.texts().sort()).toEqual(['from one', 'from two']);
    const [head] = server.heads().filter(({ writer }) => writer === 'one');
    expect(head && (await second.keeper.adopt(head))).toBe(true);
    await settle();
    expect(server.heads().map(({ text, writer }) => [text, writer])).toEqual([['from one', 'two']]);
  });

  it('keeps text in the browser while the server fails, and gives it to the server later', async () => {
    server.fail(true);
    const { drafts, onLost } = open('one');
    drafts.put(draft('mine'));
    await settle();
    expect([server.texts(), browser.texts()]).toEqual([[], ['mine']]);
    server.fail(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([server.texts(), browser.texts()]).toEqual([['mine'], []]);
    expect(onLost).not.toHaveBeenCalled();
  });

  it('keeps text in the browser alone on a page that isn’t signed in, and restores it there', async () => {
    const first = open('one', false);
    first.drafts.put(draft('mine'));
    await settle();
    expect([server.texts(), browser.texts()]).toEqual([[], ['mine']]);
    const second = open('two');
    await second.keeper.restore();
    await settle();
    expect([server.texts(), browser.texts()]).toEqual([['mine'], []]);
  });

  it('keeps every draft when it stops or the page may close, and ignores later changes', async () => {
    const { drafts, keeper } = open('one');
    drafts.put(draft('mine'));
    keeper.flushBeforeLeaving();
    keeper.stop();
    drafts.openRoot(null);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.texts()).toEqual(['mine']);
  });

  it('holds text that nothing can keep, says so once, and keeps it as soon as there is room', async () => {
    server.fail(true);
    browser.fail(true);
    const { drafts, keeper, onLost } = open('one');
    for (const text of ['one', 'two']) {
      drafts.put(draft(text));
      await settle();
    }
    expect([onLost.mock.calls, keeper.holdsLost()]).toEqual([[[true]], true]);
    browser.fail(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([onLost.mock.calls, keeper.holdsLost()]).toEqual([[[true], [false]], false]);
    expect(browser.texts()).toEqual(['two']);
  });

  it.each([true, false])(
    'holds nothing once the text is saved or discarded (signed in: %s)',
    async (isSignedIn) => {
      server.fail(true);
      browser.fail(true);
      const { drafts, keeper, onLost } = open('one', isSignedIn);
      drafts.put(draft('mine'));
      await settle();
      expect(keeper.holdsLost()).toBe(true);
      drafts.remove('scout', 'SYSTEM.md');
      await settle();
      expect([onLost.mock.calls, keeper.holdsLost()]).toEqual([[[true], [false]], false]);
    },
  );
});
