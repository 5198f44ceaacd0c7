import { expect, it, vi } from 'vitest';
import { createUnsaved } from '../../src/renderer/src/drafts/unsaved.ts';
import { makeSessionStore } from '../support/session-store.ts';

it('keeps what is typed beyond its view and the page, until it is dropped', () => {
  const storage = makeSessionStore();
  const unsaved = createUnsaved(storage);
  const listener = vi.fn();
  unsaved.subscribe(listener);
  unsaved.put('wallet/send', { amount: '5' });
  unsaved.put('pricing/cell', { text: '"7"' });
  const reloaded = createUnsaved(storage);
  expect([reloaded.get('wallet/send'), reloaded.get('pricing/cell')]).toEqual([
    { amount: '5' },
    { text: '"7"' },
  ]);
  reloaded.drop('wallet/send');
  expect(createUnsaved(storage).get('wallet/send')).toBeUndefined();
  reloaded.drop('pricing/cell');
  expect([storage.size, listener.mock.calls.length]).toEqual([0, 2]);
});

it('keeps a very long text for as long as the page only, and starts empty if nothing readable is stored', () => {
  const storage = makeSessionStore();
  const unsaved = createUnsaved(storage);
  unsaved.put('pricing/import', 'x'.repeat(200_000));
  expect(unsaved.get('pricing/import')).toHaveLength(200_000);
  expect(storage.size).toBe(0);
  storage.setItem('dot-mi.unsaved', '{');
  expect(createUnsaved(storage).get('pricing/import')).toBeUndefined();
});

it('asks before the page is left only while something is in memory alone', () => {
  const unsaved = createUnsaved();
  let holds = false;
  unsaved.guard('token', () => holds);
  unsaved.guard('drafts', () => false);
  unsaved.put('wallet/send', { amount: '5' });
  expect(unsaved.losses()).toEqual([]);
  holds = true;
  expect(unsaved.losses()).toEqual(['token']);
});
