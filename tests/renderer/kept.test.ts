import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { TextStorage } from '../../src/renderer/src/browser-storage.ts';
import { createKept, type KeptHost } from '../../src/renderer/src/kept.ts';
import type { PreferenceName, Preferences } from '../../src/shared/api/preferences.ts';
import { eventually } from '../support/eventually.ts';
import { makeSessionStore } from '../support/session-store.ts';

/** A server that keeps texts, and the pages that use it, each at an address with a storage of its own. */
const makeServer = () => {
  const texts: Preferences = {};
  let isSignedIn = true;
  const host = (storage: TextStorage = makeSessionStore()): KeptHost => ({
    storage,
    read: async () => {
      if (!isSignedIn) throw new Error('not signed in');
      return { ...texts };
    },
    write: async (changes) => {
      if (!isSignedIn) return;
      for (const [name, text] of Object.entries(changes) as [PreferenceName, string | null][])
        if (text === null) delete texts[name];
        else texts[name] = text;
    },
  });
  return {
    texts,
    open: (storage?: TextStorage) => createKept(host(storage)),
    /** A page whose requests never arrive, because it is left at once. */
    openAndLeave: (storage: TextStorage, write: KeptHost['write']) => createKept({ ...host(storage), write }),
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

it.each<[string, KeptHost['write']]>([
  ['before it was sent', () => new Promise(() => undefined)],
  ['while it was sent', async () => Promise.reject(new Error('Failed to fetch'))],
])('is sent by the next page if the page was left %s', async (_, write) => {
  const server = makeServer();
  const storage = makeSessionStore();
  const page = server.open(storage);
  page.set('last-agent', '/agents/writer/files/SYSTEM.md');
  await eventually(() => expect(server.texts['last-agent']).toBe('/agents/writer/files/SYSTEM.md'));
  server.openAndLeave(storage, write).set('last-agent', '/agents/writer/files/pi-args');
  await sleep(0);

  const next = server.open(storage);
  await next.load();
  expect(next.get('last-agent')).toBe('/agents/writer/files/pi-args');
  await eventually(() => expect(server.texts['last-agent']).toBe('/agents/writer/files/pi-args'));
  await eventually(() => expect(storage.getItem('dot-mi.unsent')).toBeNull());
  // The text is the server's again, which another browser changes.
  server.texts['last-agent'] = '/agents/scout';
  const last = server.open(storage);
  await last.load();
  expect(last.get('last-agent')).toBe('/agents/scout');
});
