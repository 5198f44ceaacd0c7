import { describe, expect, it, vi } from 'vitest';
import {
  createBrowserDatabase,
  createTextStorage,
  type StorageFailure,
  withinStorageLimit,
} from '../../src/renderer/src/browser-storage.ts';
import { makeSessionStore } from '../support/session-store.ts';

const make = (find: () => Storage | undefined) => {
  const failures: StorageFailure[] = [];
  return { failures, storage: createTextStorage(find, (failure) => failures.push(failure)) };
};

describe('createTextStorage', () => {
  it('stores in the browser, and keeps nothing of it in memory', () => {
    const inner = makeSessionStore();
    const { storage, failures } = make(() => inner as unknown as Storage);
    storage.setItem('a', '1');
    inner.setItem('a', 'changed in another tab');
    expect(storage.getItem('a')).toBe('changed in another tab');
    storage.removeItem('a');
    expect([inner.size, failures]).toEqual([0, []]);
  });

  it.each([
    ['has none', () => undefined],
    [
      'blocks it',
      () => {
        throw new Error('insecure');
      },
    ],
  ])('keeps texts in memory where the browser %s', (_, find) => {
    const { storage, failures } = make(find);
    expect(storage.getItem('a')).toBeNull();
    storage.setItem('a', '1');
    expect(storage.getItem('a')).toBe('1');
    storage.removeItem('a');
    expect(storage.getItem('a')).toBeNull();
    expect(failures).toContain('missing');
  });

  it('keeps a text in memory when the storage is full, and no outdated one in the browser', () => {
    const inner = makeSessionStore();
    inner.setItem('a', 'old');
    const full = { ...inner, setItem: () => expect.fail('full') } as unknown as Storage;
    const { storage, failures } = make(() => full);
    storage.setItem('a', 'new');
    expect([storage.getItem('a'), inner.getItem('a'), failures]).toEqual(['new', null, ['full']]);
  });
});

it('rejects within the limit where the browser’s database never responds, and where there is none', async () => {
  vi.useFakeTimers();
  const silent = createBrowserDatabase({
    name: 'n',
    store: 's',
    find: () => ({ open: () => ({}) }) as never,
  });
  const answer = silent.run('readonly', (store) => store.get('key')).catch(String);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await answer).toContain('doesn’t answer');
  vi.useRealTimers();
  const missing = createBrowserDatabase({ name: 'n', store: 's', find: () => undefined });
  await expect(missing.run('readonly', (store) => store.get('key'))).rejects.toThrow('no database');
  expect(await withinStorageLimit(Promise.resolve(1))).toBe(1);
});
