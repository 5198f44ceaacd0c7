import { useCallback, useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import type { Loss } from '../../../shared/desktop-bridge.ts';
import { type TextStorage, tabStorage } from '../browser-storage.ts';

/**
 * The registry of text that a person typed but hasn't saved or sent. Each feature registers its own, so that the text
 * survives leaving the view. File drafts are in `drafts.ts`.
 */
export interface Unsaved {
  /** Returns the value under a key, or undefined. */
  readonly get: (key: string) => unknown;
  /** Returns all values, by key. */
  readonly all: () => Readonly<Record<string, unknown>>;
  /** Stores a JSON value. */
  readonly put: (key: string, value: unknown) => void;
  readonly drop: (key: string) => void;
  /** Registers data that is only in memory, such as a token, so that the page asks before a person leaves. */
  readonly guard: (loss: Loss, holds: () => boolean) => void;
  /** Returns what leaving the page would lose permanently. */
  readonly losses: () => readonly Loss[];
  readonly subscribe: (listener: () => void) => () => void;
}

const STORAGE_KEY = 'dot-mi.unsaved';

/** Longer values outlive their view but not the page, because writing them on each key press would be slow. */
const LONGEST_STORED = 100_000;

/** The address of this script, which differs in each build, so that no page reads the values of another build. */
const BUILD = import.meta.url;

const readStored = (storage: TextStorage | undefined): Readonly<Record<string, unknown>> => {
  try {
    const { build, things } = JSON.parse(storage?.getItem(STORAGE_KEY) ?? '{}');
    return build === BUILD ? things : {};
  } catch {
    return {};
  }
};

/** Creates a registry. With `storage`, its values also survive a page reload. */
export const createUnsaved = (storage?: TextStorage): Unsaved => {
  const { getState, setState, subscribe } = createStore(() => readStored(storage));
  const guards: (readonly [Loss, () => boolean])[] = [];
  const replace = (things: Readonly<Record<string, unknown>>): void => {
    const texts = Object.entries(things).map(([key, value]) => [key, JSON.stringify(value)] as const);
    const stored = texts.filter(([, text]) => text.length <= LONGEST_STORED);
    if (stored.length === 0) storage?.removeItem(STORAGE_KEY);
    else {
      const things = stored.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join();
      storage?.setItem(STORAGE_KEY, `{"build":${JSON.stringify(BUILD)},"things":{${things}}}`);
    }
    setState(things, true);
  };
  return {
    get: (key) => (Object.hasOwn(getState(), key) ? getState()[key] : undefined),
    all: getState,
    put: (key, value) => replace({ ...getState(), [key]: value }),
    drop: (key) => {
      const { [key]: dropped, ...others } = getState();
      if (dropped !== undefined) replace(others);
    },
    guard: (loss, holds) => void guards.push([loss, holds]),
    losses: () => guards.flatMap(([loss, holds]) => (holds() ? [loss] : [])),
    subscribe,
  };
};

/** The page's only registry. */
export const unsaved: Unsaved = createUnsaved(tabStorage);

/** One value in the registry, or null, and a function that changes it. Null removes it. Each key has values of one type. */
export const useUnsaved = <T>(key: string): readonly [T | null, (value: T | null) => void] => {
  const stored = useSyncExternalStore(unsaved.subscribe, () => unsaved.get(key));
  const change = useCallback(
    (next: T | null): void => (next === null ? unsaved.drop(key) : unsaved.put(key, next)),
    [key],
  );
  return [(stored as T | undefined) ?? null, change];
};
