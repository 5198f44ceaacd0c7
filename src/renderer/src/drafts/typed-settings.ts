import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { type TextStorage, tabStorage } from '../browser-storage.ts';

/** Typed and unsaved settings, by their labels. */
export interface TypedSettings {
  readonly get: (label: string) => string | undefined;
  readonly type: (label: string, text: string) => void;
  /** Removes a setting's text. With `text`, only if it is still the same, so that newer text stays. */
  readonly drop: (label: string, text?: string) => void;
  /** Removes everything. */
  readonly clear: () => void;
  /** Marks a setting's text as being saved, so that nobody is asked about it. Null ends that. */
  readonly saving: (label: string, text: string | null) => void;
  /** The settings with text that isn't being saved. The same array until the answer changes. */
  readonly labels: () => readonly string[];
  readonly subscribe: (listener: () => void) => () => void;
}

interface TypedState {
  readonly typed: ReadonlyMap<string, string>;
  /** The texts that are being saved. */
  readonly saving: ReadonlyMap<string, string>;
  /** The labels of the texts that aren't being saved. */
  readonly unsaved: readonly string[];
}

const STORAGE_KEY = 'dot-mi.typed-settings';

const storedSettings = z.array(z.tuple([z.string(), z.string()]));

const readStored = (storage: TextStorage | undefined): ReadonlyMap<string, string> => {
  try {
    return new Map(storedSettings.parse(JSON.parse(storage?.getItem(STORAGE_KEY) ?? '[]')));
  } catch {
    return new Map();
  }
};

const store = (storage: TextStorage | undefined, typed: ReadonlyMap<string, string>): void => {
  try {
    if (typed.size > 0) storage?.setItem(STORAGE_KEY, JSON.stringify([...typed]));
    else storage?.removeItem(STORAGE_KEY);
  } catch {
    // Full storage must not stop typing. The page still asks before leaving.
  }
};

/**
 * Creates a store. Typed text outlives the settings page. In `storage` it also survives a reload or a crash
 * of the tab, but not closing the tab or opening another address.
 */
export const createTypedSettings = (storage?: TextStorage): TypedSettings => {
  const stored = readStored(storage);
  const { getState, setState, subscribe } = createStore<TypedState>(() => ({
    typed: stored,
    saving: new Map(),
    unsaved: [...stored.keys()],
  }));

  const change = ({ typed = getState().typed, saving = getState().saving }: Partial<TypedState>): void => {
    const { unsaved } = getState();
    const next = [...typed].flatMap(([label, text]) => (saving.get(label) === text ? [] : [label]));
    const isSame = next.length === unsaved.length && next.every((label, index) => label === unsaved[index]);
    setState({ typed, saving, unsaved: isSame ? unsaved : next });
  };
  const replace = (typed: ReadonlyMap<string, string>): void => {
    store(storage, typed);
    change({ typed });
  };
  const without = (entries: ReadonlyMap<string, string>, label: string): ReadonlyMap<string, string> =>
    new Map([...entries].filter(([other]) => other !== label));

  return {
    get: (label) => getState().typed.get(label),
    type: (label, text) => replace(new Map([...getState().typed, [label, text]])),
    drop: (label, text) => {
      const current = getState().typed.get(label);
      if (current === undefined || (text !== undefined && current !== text)) return;
      replace(without(getState().typed, label));
    },
    clear: () => replace(new Map()),
    saving: (label, text) => {
      const { saving } = getState();
      change({ saving: text === null ? without(saving, label) : new Map([...saving, [label, text]]) });
    },
    labels: () => getState().unsaved,
    subscribe,
  };
};

/** The page's only store of typed settings. */
export const typedSettings: TypedSettings = createTypedSettings(tabStorage);
