import { describe, expect, it } from 'vitest';
import { storedToken, storeToken, takeToken, tokenInText } from '../../src/renderer/src/api/session.ts';

const tab = (address: string) => {
  const replaced: (string | URL | null | undefined)[] = [];
  return {
    replaced,
    location: new URL(address, 'http://127.0.0.1:8000'),
    history: {
      state: null,
      replaceState: (_state: unknown, _title: string, to?: string | URL | null) => void replaced.push(to),
    },
  };
};

const makeStorage = () => {
  const stored = new Map<string, string>();
  return {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
};

describe('takeToken', () => {
  it('removes the token from the address bar', () => {
    const home = tab('/agents/scout?x=1#token=abc123');
    expect(takeToken(home)).toBe('abc123');
    expect(home.replaced).toEqual(['/agents/scout?x=1']);
  });

  it('keeps the rest of the fragment', () => {
    const home = tab('/#token=abc&section=2');
    takeToken(home);
    expect(home.replaced).toEqual(['/#section=2']);
  });

  it('changes nothing when there is no token', () => {
    const home = tab('/#main');
    expect(takeToken(home)).toBeNull();
    expect(home.replaced).toEqual([]);
  });

  it('removes an empty token from the address bar, and ignores it', () => {
    const home = tab('/#token=');
    expect(takeToken(home)).toBeNull();
    expect(home.replaced).toEqual(['/']);
  });
});

it('keeps a token for the tab until it is forgotten', () => {
  const storage = makeStorage();
  expect(storedToken(storage)).toBeNull();
  storeToken(storage, 'abc');
  expect(storedToken(storage)).toBe('abc');
  storeToken(storage, null);
  expect(storedToken(storage)).toBeNull();
});

it.each([
  ['abc', 'abc'],
  ['  abc \n', 'abc'],
  ['http://dot-mi.localhost:8000/#token=abc', 'abc'],
  ['http://127.0.0.1:8000/wallet#section=1&token=abc', 'abc'],
  ['#token=abc', 'abc'],
  ['http://127.0.0.1:8000/#other=1', 'http://127.0.0.1:8000/#other=1'],
])('finds the token in %j', (text, token) => {
  expect(tokenInText(text)).toBe(token);
});
