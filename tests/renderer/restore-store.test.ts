import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import {
  createRestoreStore,
  failureTitleOf,
  headlineOf,
  type SearchKind,
} from '../../src/renderer/src/features/wallet/backup/restore-store.ts';
import type { Restored } from '../../src/shared/api/wallet.ts';

const restored: Restored = {
  found: 501,
  amount: 500,
  pending: 0,
  proofs: 4,
  fee: 1,
  words: 'kept',
  skipped: [],
};
const refused = new ApiError(409, 'nothing_found', 'These words own nothing.');

describe('createRestoreStore', () => {
  it('runs a search to its end, and no second one meanwhile', async () => {
    const store = createRestoreStore(vi.fn());
    const answer = Promise.withResolvers<Restored>();
    const run = store.run('restore', () => answer.promise);
    expect(store.get()).toEqual({ status: 'running', kind: 'restore' });
    const second = vi.fn();
    await store.run('rescan', second);
    expect(second).not.toHaveBeenCalled();
    store.clear();
    expect(store.get().status).toBe('running');
    answer.resolve(restored);
    await run;
    expect(store.get()).toEqual({ status: 'done', kind: 'restore', restored });
    store.clear();
    expect(store.get()).toEqual({ status: 'idle' });
  });

  it('keeps the reason of a failed search until the next one', async () => {
    const store = createRestoreStore(vi.fn());
    await store.run('restore', () => Promise.reject(refused));
    expect(store.get()).toEqual({ status: 'failed', kind: 'restore', error: refused });
    await store.run('rescan', async () => restored);
    expect(store.get()).toMatchObject({ status: 'done', kind: 'rescan' });
  });

  it('reports the end of a search only if no view shows it', async () => {
    const onUnwatched = vi.fn();
    const store = createRestoreStore(onUnwatched);
    const unwatch = store.watch('restore');
    await store.run('restore', async () => restored);
    expect(onUnwatched).not.toHaveBeenCalled();
    await store.run('rescan', async () => restored);
    expect(onUnwatched).toHaveBeenCalledExactlyOnceWith({ status: 'done', kind: 'rescan', restored });
    unwatch();
    await store.run('restore', () => Promise.reject(refused));
    expect(onUnwatched).toHaveBeenLastCalledWith({ status: 'failed', kind: 'restore', error: refused });
  });

  it('counts each view that watches', async () => {
    const onUnwatched = vi.fn();
    const store = createRestoreStore(onUnwatched);
    const unwatch = store.watch('restore');
    store.watch('restore');
    unwatch();
    await store.run('restore', async () => restored);
    expect(onUnwatched).not.toHaveBeenCalled();
  });
});

describe('headlineOf', () => {
  const skipped = [{ keysetId: '00ab', reason: 'It can’t be verified.' }];
  it.each<[SearchKind, Partial<Restored>, string]>([
    ['restore', {}, 'Restored 500 sat'],
    ['rescan', {}, 'Found 500 missing sats'],
    ['restore', { pending: 100 }, 'Restored 500 sat'],
    ['restore', { amount: 0, pending: 100 }, '100 sat found, but not credited yet'],
    ['restore', { amount: 0, pending: 120, skipped }, '120 sat found, but not credited yet'],
    ['restore', { amount: 0 }, '501 sat found, but not credited'],
    ['restore', { amount: 0, skipped }, '501 sat found, but not credited'],
    ['rescan', { found: 0, amount: 0 }, 'Nothing is missing.'],
    ['rescan', { found: 0, amount: 0, skipped }, 'The search is incomplete'],
  ])('of a %s with %j is “%s”', (kind, more, headline) => {
    expect(headlineOf(kind, { ...restored, ...more })).toBe(headline);
  });
});

it('has a title for every failure, even an unknown one', () => {
  expect(failureTitleOf('restore', refused)).toBe('These words have no sats at this mint');
  expect(failureTitleOf('rescan', { code: 'internal' })).toBe('The check didn’t finish');
});
