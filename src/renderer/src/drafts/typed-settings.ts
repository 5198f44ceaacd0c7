import { z } from 'zod';
import type { SessionStore } from '../session-store.ts';

/** What is typed in settings and not saved, by their labels. */
export interface TypedSettings {
  readonly get: (label: string) => string | undefined;
  readonly type: (label: string, text: string) => void;
  /** Forgets what is typed in a setting; with a text, only if it is still that: what was typed since stays. */
  readonly drop: (label: string, text?: string) => void;
  /** Forgets it all. */
  readonly clear: () => void;
  /** What is typed in a setting is being saved, so that nobody need be asked about it; null: it is not any more. */
  readonly saving: (label: string, text: string | null) => void;
  /** The settings in which something is typed that is not being saved either. Keeps its identity while the answer is the same. */
  readonly labels: () => readonly string[];
  readonly subscribe: (listener: () => void) => () => void;
}

const KEPT_KEY = 'dot-mi.typed-settings';

const keptSettings = z.array(z.tuple([z.string(), z.string()]));

const readKept = (storage: SessionStore | undefined): ReadonlyMap<string, string> => {
  try {
    return new Map(keptSettings.parse(JSON.parse(storage?.getItem(KEPT_KEY) ?? '[]')));
  } catch {
    return new Map();
  }
};

const keep = (storage: SessionStore | undefined, typed: ReadonlyMap<string, string>): void => {
  try {
    if (typed.size > 0) storage?.setItem(KEPT_KEY, JSON.stringify([...typed]));
    else storage?.removeItem(KEPT_KEY);
  } catch {
    // A storage that is full must not stop the typing; whoever leaves is asked all the same.
  }
};

/**
 * Makes a store. What is typed outlives the page of the settings, and in `storage` a reload and a crash of the whole
 * page; not its window, nor a way to another address.
 */
export const createTypedSettings = (storage?: SessionStore): TypedSettings => {
  let typed = readKept(storage);
  const underWay = new Map<string, string>();
  let labels: readonly string[] = [...typed.keys()];
  const listeners = new Set<() => void>();

  const tell = (): void => {
    const next = [...typed].flatMap(([label, text]) => (underWay.get(label) === text ? [] : [label]));
    if (next.length !== labels.length || next.some((label, index) => label !== labels[index])) labels = next;
    for (const listener of listeners) listener();
  };
  const replace = (next: ReadonlyMap<string, string>): void => {
    typed = next;
    keep(storage, typed);
    tell();
  };

  return {
    get: (label) => typed.get(label),
    type: (label, text) => replace(new Map([...typed, [label, text]])),
    drop: (label, text) => {
      const kept = typed.get(label);
      if (kept === undefined || (text !== undefined && kept !== text)) return;
      replace(new Map([...typed].filter(([other]) => other !== label)));
    },
    clear: () => replace(new Map()),
    saving: (label, text) => {
      if (text === null) underWay.delete(label);
      else underWay.set(label, text);
      tell();
    },
    labels: () => labels,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** The one store of the page. */
export const typedSettings: TypedSettings = createTypedSettings(globalThis.sessionStorage);
