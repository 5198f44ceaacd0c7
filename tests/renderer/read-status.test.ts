import { expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import { lastRead, readStatus } from '../../src/renderer/src/api/read-status.ts';

const offline = new ApiError(0, 'offline', 'Nobody there.');
const unauthorized = new ApiError(401, 'unauthorized', 'No token.');
const refetch = vi.fn();

it('data that was read stays while the API is offline, and any other error replaces it', () => {
  expect(lastRead({ data: [1], error: null })).toEqual([1]);
  expect(lastRead({ data: [1], error: offline })).toEqual([1]);
  expect(lastRead({ data: [1], error: unauthorized })).toBeUndefined();
});

it('a read is loading, ready, or an error that can be tried again', () => {
  expect(readStatus({ data: undefined, error: null, refetch })).toEqual({ status: 'loading' });
  expect(readStatus({ data: 0, error: offline, refetch })).toEqual({ status: 'ready', data: 0 });
  const failed = readStatus({ data: undefined, error: offline, refetch });
  expect(failed).toMatchObject({ status: 'error', error: offline });
  if (failed.status === 'error') failed.retry();
  expect(refetch).toHaveBeenCalledOnce();
});
