import { QueryClient } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import type { ReadModels } from '../../src/renderer/src/api/models.ts';
import { keys } from '../../src/renderer/src/api/queries.ts';
import { createPendingEdits } from '../../src/renderer/src/features/pricing/editing/pending-edits.ts';
import type { PriceEdit } from '../../src/renderer/src/features/pricing/editing/price-edits.ts';
import { writeEdit } from '../../src/renderer/src/features/pricing/editing/use-edits.ts';

const inputOf = (name: string, inputUsd: number): PriceEdit => ({
  kind: 'change',
  name,
  changes: { inputUsd },
});
const failed = { kind: 'failed', error: new ApiError(0, 'offline', 'Nothing answers.') } as const;

describe('createPendingEdits', () => {
  it('keeps every edit until it is answered, and notifies its listeners', () => {
    const store = createPendingEdits();
    const told = vi.fn();
    const stop = store.subscribe(told);
    store.keep(inputOf('a', 1), '"one"', { kind: 'changed' });
    store.keep({ kind: 'remove', name: 'a' }, '"one"', failed);
    store.keep(inputOf('b', 1), '"one"', { kind: 'lossy' });
    expect(store.get().map(({ blockedBy: obstacle }) => obstacle.kind)).toEqual([
      'changed',
      'failed',
      'lossy',
    ]);
    const [first] = store.get();
    expect(store.take(first?.id ?? 0)).toMatchObject({ edit: inputOf('a', 1), etag: '"one"' });
    expect(store.take(first?.id ?? 0)).toBeNull();
    expect(store.get()).toHaveLength(2);
    expect(told).toHaveBeenCalledTimes(4);
    stop();
    store.keep(inputOf('c', 1), null, failed);
    expect(told).toHaveBeenCalledTimes(4);
  });

  it('keeps only the newest edit of the same prices, and edits of different prices side by side', () => {
    const store = createPendingEdits();
    store.keep(inputOf('a', 1), null, failed);
    store.keep({ kind: 'change', name: 'a', changes: { outputUsd: 1 } }, null, failed);
    store.keep(inputOf('a', 2), null, failed);
    expect(store.get().map(({ edit }) => edit)).toEqual([
      { kind: 'change', name: 'a', changes: { outputUsd: 1 } },
      inputOf('a', 2),
    ]);
  });

  it('knows whether a view shows it', () => {
    const store = createPendingEdits();
    const hide = store.show();
    const hideOther = store.show();
    hide();
    hide();
    expect(store.isShown()).toBe(true);
    hideOther();
    expect(store.isShown()).toBe(false);
  });

  it('follows its own writes to the latest version, even back to an earlier one', () => {
    const store = createPendingEdits();
    store.wrote(null, 'one');
    store.wrote('one', 'two');
    expect([null, 'one', 'two', 'theirs'].map(store.latest)).toEqual(['two', 'two', 'two', 'theirs']);
    store.wrote('two', 'one');
    expect([null, 'one', 'two'].map(store.latest)).toEqual(['one', 'one', 'one']);
  });
});

describe('writeEdit', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** A models file behind the API that refuses a write of another version than its own. */
  const serve = (etag: string, inputUsd: number) => {
    const file = { etag, inputUsd, writes: 0 };
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('fetch', async (_path: string, { method, headers = {}, body }: RequestInit) => {
      if (method !== 'GET') {
        if ((headers as Record<string, string>)['if-match'] !== file.etag) {
          return Response.json({ error: 'Another one.', code: 'file_changed' }, { status: 409 });
        }
        file.writes += 1;
        file.etag = `"written ${file.writes}"`;
        file.inputUsd = JSON.parse(String(body)).models.a.input_usd_per_million;
        return Response.json({ ok: true, etag: file.etag });
      }
      const models = { a: { input_usd_per_million: file.inputUsd, output_usd_per_million: 2 } };
      return Response.json({ models, etag: file.etag });
    });
    const client = new QueryClient();
    client.setQueryData<ReadModels>(keys.models, {
      models: [{ name: 'a', inputUsd, outputUsd: 2 }],
      etag,
      configError: undefined,
    });
    return { file, client };
  };
  const shown = (client: QueryClient) => client.getQueryData<ReadModels>(keys.models)?.models[0]?.inputUsd;

  it('writes, and adapts an edit that began before an own write to its result', async () => {
    const { file, client } = serve('"one"', 1);
    const store = createPendingEdits();
    expect(await writeEdit(client, store, { edit: inputOf('a', 5), etag: '"one"' })).toEqual(inputOf('a', 1));
    expect(await writeEdit(client, store, { edit: inputOf('a', 6), etag: '"one"' })).toEqual(inputOf('a', 5));
    expect([file.inputUsd, shown(client)]).toEqual([6, 6]);
  });

  it('doesn’t overwrite another version of the file, and reads it', async () => {
    const { file, client } = serve('"one"', 1);
    Object.assign(file, { etag: '"theirs"', inputUsd: 3 });
    const run = { edit: inputOf('a', 5), etag: '"one"' };
    expect(await writeEdit(client, createPendingEdits(), run)).toBeNull();
    expect([file.writes, file.inputUsd, shown(client)]).toEqual([0, 3, 3]);
  });
});
