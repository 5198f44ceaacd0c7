import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import { createUnsaved } from '../../src/renderer/src/drafts/unsaved.ts';
import { checkMnemonic, wordsOf } from '../../src/renderer/src/features/wallet/backup/mnemonic.ts';
import { createReceiveStore } from '../../src/renderer/src/features/wallet/receive/receive-store.ts';
import { consumeCashuLink } from '../../src/renderer/src/features/wallet/receive/token-queue.ts';

describe('consumeCashuLink', () => {
  const take = (hash: string) => {
    const seen: string[] = [];
    const content = consumeCashuLink({
      location: { hash, pathname: '/wallet', search: '' },
      history: { state: null, replaceState: (_state, _title, url) => void seen.push(String(url)) },
    });
    return { content, seen };
  };

  it.each([
    ['#cashu=cashuBo2F', 'cashuBo2F'],
    ['#cashu=cashu:cashuAeyJ_-', 'cashuAeyJ_-'],
    ['#cashu=cashu%3A%2F%2FcashuAab%3D%3D', 'cashuAab=='],
    ['#cashu=web+cashu:cashuAa+b/c==', 'cashuAa+b/c=='],
  ])('extracts the token from %s', (hash, token) => {
    expect(take(hash)).toEqual({ content: { token }, seen: ['/wallet'] });
  });

  it('leaves the rest of the fragment alone, and anything that isn’t a link', () => {
    expect(take('#a=b&cashu=cashuBx')).toEqual({ content: { token: 'cashuBx' }, seen: ['/wallet#a=b'] });
    expect(take('#token=abc')).toEqual({ content: null, seen: [] });
    expect(take('')).toEqual({ content: null, seen: [] });
  });

  it.each([
    ['#cashu=', 'wrongScheme'],
    ['#cashu=lightning:lnbc1', 'wrongScheme'],
    ['#cashu=javascript:alert(1)', 'wrongScheme'],
    ['#cashu=cashuB<img>', 'wrongScheme'],
    [`#cashu=cashuA${'a'.repeat(100_000)}`, 'tooLong'],
  ])('refuses %.40s, and still removes it from the address', (hash, problem) => {
    expect(take(hash)).toEqual({ content: { problem }, seen: ['/wallet'] });
  });
});

describe('checkMnemonic', () => {
  const check = (text: string) => checkMnemonic(text, wordlist);

  it('reads words as they are written on paper', () => {
    expect(wordsOf(' 1. Zoo\n2) ABLE, 3: zone ')).toEqual(['zoo', 'able', 'zone']);
  });

  it('knows how many there must be', () => {
    expect(check('zoo '.repeat(12))).toEqual({ count: 12, hasLength: true, unknown: [] });
    expect(check('zoo '.repeat(13)).hasLength).toBe(false);
    expect(check('')).toEqual({ count: 0, hasLength: false, unknown: [] });
  });

  it('names the words that are not on the list, but not the one that is being typed', () => {
    expect(check('zoo abandom abo').unknown).toEqual([{ position: 2, word: 'abandom' }]);
    expect(check('zoo abo ').unknown).toEqual([{ position: 2, word: 'abo' }]);
    expect(check('zoo xq').unknown).toEqual([{ position: 2, word: 'xq' }]);
    expect(checkMnemonic('xq xq ', []).unknown).toEqual([]);
  });
});

it('follows a pending receive across a reload of the page, by its id alone', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const store = createReceiveStore(() => 'key', createUnsaved(storage));
  store.type('cashuBsecret');
  store.begin();
  const details = { error: 'Wait.', code: 'redemption_pending' as const, operationId: 'one' };
  store.refused('cashuBsecret', new ApiError(503, 'redemption_pending', 'Wait.', details));
  expect([...kept.values()].join()).not.toContain('cashu');

  const reloaded = createReceiveStore(() => 'key', createUnsaved(storage));
  expect(reloaded.get().pendingReceives).toEqual([{ token: null, operationId: 'one', end: null }]);
  reloaded.ended('one', { amount: 5, fee: undefined });
  expect(reloaded.get().pendingReceives[0]?.end).toMatchObject({ kind: 'received', amount: 5 });
  expect(kept.size).toBe(0);
});
