import { expect, it } from 'vitest';
import { createKept, type KeptHost } from '../../src/renderer/src/kept.ts';
import type { PreferenceName, Preferences } from '../../src/shared/api/preferences.ts';
import { eventually } from '../support/eventually.ts';
import { makeSessionStore } from '../support/session-store.ts';

/** A server that keeps texts, and the pages that use it, each at an address with a storage of its own. */
const makeServer = () => {
  const texts: Preferences = {};
  let isSignedIn = true;
  const host = (): KeptHost => ({
    storage: makeSessionStore(),
    read: async () => {
      if (!isSignedIn) throw new Error('not signed in');
      return { ...texts };
    },
    write: async (changes) => {
      if (!isSignedIn) throw new Error('not signed in');
      for (const [name, text] of Object.entries(changes) as [PreferenceName, string | null][])
        if (text === null) delete texts[name];
        else texts[name] = text;
    },
  });
  return {
    texts,
    open: () => createKept(host()),
    signOut: () => {
      isSignedIn = false;
    },
  };
};

it('is there again at another address, where the browser has nothing', async () => {
  const server = makeServer();
  const page = server.open();
  page.set('theme', 'dark');
  page.set('last-agent', '/agents/scout');
  page.set('recent', '[]');
  page.set('recent', null);
  await eventually(() => expect(server.texts).toEqual({ theme: 'dark', 'last-agent': '/agents/scout' }));

  const moved = server.open();
  expect(moved.get('theme')).toBeNull();
  let changes = 0;
  moved.subscribe(() => {
    changes += 1;
  });
  expect(await moved.load()).toBe(true);
  expect([moved.get('theme'), moved.get('last-agent'), changes]).toEqual(['dark', '/agents/scout', 1]);
});

it('forgets what another page reset, and keeps what this page chose while it was loading', async () => {
  const server = makeServer();
  const [first, second] = [server.open(), server.open()];
  first.set('theme', 'dark');
  await eventually(() => expect(server.texts.theme).toBe('dark'));
  await second.load();
  first.set('theme', null);
  await eventually(() => expect(server.texts).toEqual({}));
  second.set('recent', '["agent:scout"]');
  await second.load();
  expect([second.get('theme'), second.get('recent')]).toEqual([null, '["agent:scout"]']);
});

it('stays in the browser for a page that isn’t signed in', async () => {
  const server = makeServer();
  server.signOut();
  const page = server.open();
  page.set('theme', 'dark');
  expect([await page.load(), page.get('theme'), server.texts]).toEqual([false, 'dark', {}]);
});
