import { describe, expect, it, vi } from 'vitest';
import { createTypedSettings } from '../../src/renderer/src/drafts/typed-settings.ts';
import { findChangeBlockers } from '../../src/renderer/src/features/settings/change-blockers.ts';
import { makeSessionStore } from '../support/session-store.ts';

describe('createTypedSettings', () => {
  it('has the text that an earlier page of the window left, until it is saved or discarded', () => {
    const storage = makeSessionStore();
    const earlier = createTypedSettings(storage);
    earlier.type('Mint', 'https://mint.example');
    earlier.type('Port', '80');
    earlier.type('Port', '8001');

    const page = createTypedSettings(storage);
    expect(page.labels()).toEqual(['Mint', 'Port']);
    expect([page.get('Mint'), page.get('Port')]).toEqual(['https://mint.example', '8001']);
    page.drop('Port');
    expect(createTypedSettings(storage).labels()).toEqual(['Mint']);
    page.clear();
    expect(createTypedSettings(storage).labels()).toEqual([]);
    expect(storage.size).toBe(0);
  });

  it('keeps what was typed while an earlier text was being saved', () => {
    const typed = createTypedSettings();
    typed.type('Mint', 'https://one.example');
    typed.type('Mint', 'https://two.example');
    typed.drop('Mint', 'https://one.example');
    expect(typed.get('Mint')).toBe('https://two.example');
    typed.drop('Mint', 'https://two.example');
    expect(typed.labels()).toEqual([]);
  });

  it('asks about nothing that is being saved, unless that fails or something else was typed since', () => {
    const typed = createTypedSettings();
    typed.type('Mint', 'https://one.example');
    typed.saving('Mint', 'https://one.example');
    expect([typed.labels(), typed.get('Mint')]).toEqual([[], 'https://one.example']);
    typed.type('Mint', 'https://two.example');
    expect(typed.labels()).toEqual(['Mint']);
    typed.type('Mint', 'https://one.example');
    expect(typed.labels()).toEqual([]);
    typed.saving('Mint', null);
    expect(typed.labels()).toEqual(['Mint']);
  });

  it('starts empty if the storage holds something else, and keeps working if the storage refuses writes', () => {
    const storage = makeSessionStore();
    createTypedSettings(storage).type('Mint', 'x');
    const broken = { ...storage, getItem: () => '{"Mint": 1}' };
    expect(createTypedSettings(broken).labels()).toEqual([]);
    const full = {
      ...storage,
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    const typed = createTypedSettings(full);
    typed.type('Mint', 'y');
    expect(typed.get('Mint')).toBe('y');
  });

  it('notifies its listeners, and returns new labels only when they differ', () => {
    const typed = createTypedSettings();
    const listener = vi.fn();
    const stop = typed.subscribe(listener);
    typed.type('Mint', 'a');
    const labels = typed.labels();
    typed.type('Mint', 'ab');
    expect(typed.labels()).toBe(labels);
    typed.drop('Port');
    stop();
    typed.clear();
    expect(listener).toHaveBeenCalledTimes(2);
  });
});

describe('findChangeBlockers', () => {
  it('another port waits for what is typed in other settings, another root does not', () => {
    expect(findChangeBlockers([], ['Port'], false)).toEqual({ root: undefined, port: undefined });
    const { root, port } = findChangeBlockers([], ['Mint', 'Port', 'Price interval'], true);
    expect(root).toBeUndefined();
    expect(port).toMatch(/^Mint and Price interval have unsaved changes\./);
  });

  it('another port waits for a token that was not received', () => {
    const { root, port } = findChangeBlockers([], ['Port'], true);
    expect(root).toBeUndefined();
    expect(port).toMatch(/^A token on the wallet page isn’t received yet\./);
  });

  it('both wait for drafts of files', () => {
    const { root, port } = findChangeBlockers(['scout'], ['Mint'], true);
    expect(root).toMatch(/^You have unsaved text in scout\./);
    expect(port).toBe(root);
  });
});
