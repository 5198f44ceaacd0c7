import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { type TextStorage, tabStorage } from '../browser-storage.ts';

/**
 * The registry of what a person typed and didn't save or send yet. Each feature puts its own things in, so that
 * they stay when the person leaves its view in any way and comes back. The drafts of files are in `drafts.ts`.
 */
export interface Unsaved {
  /** The thing under a key; undefined if there is none. Parse it, because an older page may have stored it. */
  readonly get: (key: string) => unknown;
  /** Keeps a JSON value. */
  readonly put: (key: string, value: unknown) => void;
  readonly drop: (key: string) => void;
  /** Registers things that are only in memory, such as a token, so that leaving the page asks first. */
  readonly guard: (holds: () => boolean) => void;
  /** Whether leaving the page would lose something for good. */
  readonly mustAsk: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

const STORAGE_KEY = 'dot-mi.unsaved';

/** Longer values outlive their view but not the page, because writing them for each key would be slow. */
const LONGEST_STORED = 100_000;

const storedThings = z.record(z.string(), z.unknown());

const readStored = (storage: TextStorage | undefined): Readonly<Record<string, unknown>> => {
  try {
    return storedThings.parse(JSON.parse(storage?.getItem(STORAGE_KEY) ?? '{}'));
  } catch {
    return {};
  }
};

/** Creates a registry. In `storage` its things also survive a reload of the page. */
export const createUnsaved = (storage?: TextStorage): Unsaved => {
  const { getState, setState, subscribe } = createStore(() => readStored(storage));
  const guards: (() => boolean)[] = [];
  const replace = (things: Readonly<Record<string, unknown>>): void => {
    const texts = Object.entries(things).map(([key, value]) => [key, JSON.stringify(value)] as const);
    const stored = texts.filter(([, text]) => text.length <= LONGEST_STORED);
    if (stored.length === 0) storage?.removeItem(STORAGE_KEY);
    else storage?.setItem(STORAGE_KEY, `{${stored.map(([key, text]) => `${JSON.stringify(key)}:${text}`)}}`);
    setState(things, true);
  };
  return {
    get: (key) => getState()[key],
    put: (key, value) => replace({ ...getState(), [key]: value }),
    drop: (key) => {
      const { [key]: dropped, ...others } = getState();
      if (dropped !== undefined) replace(others);
    },
    guard: (holds) => void guards.push(holds),
    mustAsk: () => guards.some((holds) => holds()),
    subscribe,
  };
};

/** The page's only registry. */
export const unsaved: Unsaved = createUnsaved(tabStorage);

/** One thing of the registry: its value, or null, and a function that changes it. Null drops it. */
export const useUnsaved = <T>(
  key: string,
  schema: z.ZodType<T>,
): readonly [T | null, (value: T | null) => void] => {
  const stored = useSyncExternalStore(unsaved.subscribe, () => unsaved.get(key));
  const value = useMemo(() => schema.safeParse(stored).data ?? null, [schema, stored]);
  const change = useCallback(
    (next: T | null): void => (next === null ? unsaved.drop(key) : unsaved.put(key, next)),
    [key],
  );
  return [value, change];
};
