import { environmentManager, InfiniteQueryObserver, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../src/renderer/src/api/query-client.ts';
import { historyQuery, redeemedQuery } from '../../src/renderer/src/api/wallet-queries.ts';
import { eventually } from '../support/eventually.ts';

const MINUTE_MS = 60_000;

let asked: string[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  // Nothing is read again outside a browser.
  environmentManager.setIsServer(() => false);
  asked = [];
  // The server, as far as the page sees it: three pages of history.
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    const page = Number(new URL(url, 'http://dot-mi.localhost').searchParams.get('cursor') ?? 0);
    return Response.json({ entries: [], ...(page < 2 ? { nextCursor: String(page + 1) } : {}) });
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('only the first page of the history is read again while a sent token waits, however many pages are shown', async () => {
  const client = createQueryClient();
  const history = new InfiniteQueryObserver(client, historyQuery());
  const stopHistory = history.subscribe(() => undefined);
  await eventually(() => expect(history.getCurrentResult().hasNextPage).toBe(true));
  await history.fetchNextPage();
  await history.fetchNextPage();
  expect(history.getCurrentResult().data?.pages).toHaveLength(3);
  expect(asked).toEqual([
    '/api/wallet/history',
    '/api/wallet/history?cursor=1',
    '/api/wallet/history?cursor=2',
  ]);

  asked = [];
  const stopWaiting = new QueryObserver(client, redeemedQuery()).subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(asked.length).toBeGreaterThan(1);
  expect(new Set(asked)).toEqual(new Set(['/api/wallet/history']));
  stopWaiting();
  stopHistory();
  client.clear();
});
