import { describe, expect, it } from 'vitest';
import { adoptDesktopToken, adoptToken, storedToken } from '../../src/renderer/src/api/token.ts';

const tab = (address: string) => {
  const url = new URL(address, 'http://127.0.0.1:8000');
  const stored = new Map<string, string>();
  const replaced: (string | URL | null | undefined)[] = [];
  return {
    replaced,
    location: url,
    history: {
      state: null,
      replaceState: (_state: unknown, _title: string, to?: string | URL | null) => void replaced.push(to),
    },
    storage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
  };
};

describe('adoptToken', () => {
  it('keeps the token for the tab and takes it out of the address bar', () => {
    const home = tab('/agents/scout?x=1#token=abc123');
    expect(adoptToken(home)).toBe(true);
    expect(storedToken(home.storage)).toBe('abc123');
    expect(home.replaced).toEqual(['/agents/scout?x=1']);
  });

  it('leaves the rest of the fragment', () => {
    const home = tab('/#token=abc&section=2');
    adoptToken(home);
    expect(home.replaced).toEqual(['/#section=2']);
  });

  it('touches nothing when there is no token, and keeps the one of the tab', () => {
    const home = tab('/#main');
    home.storage.setItem('dot-mi.token', 'earlier');
    expect(adoptToken(home)).toBe(false);
    expect(home.replaced).toEqual([]);
    expect(storedToken(home.storage)).toBe('earlier');
  });

  it('takes an empty token out of the address bar, and forgets none for it', () => {
    const home = tab('/#token=');
    home.storage.setItem('dot-mi.token', 'earlier');
    expect(adoptToken(home)).toBe(false);
    expect(home.replaced).toEqual(['/']);
    expect(storedToken(home.storage)).toBe('earlier');
  });
});

it('in the desktop window the token comes from the shell, in a browser from nowhere', async () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  await adoptDesktopToken(undefined, storage);
  expect(storedToken(storage)).toBeNull();
  await adoptDesktopToken({ operatorToken: async () => 'from-the-shell' }, storage);
  expect(storedToken(storage)).toBe('from-the-shell');
});
