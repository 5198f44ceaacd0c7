import { useEffect, useSyncExternalStore } from 'react';

/** What is typed in settings and not saved, by their labels. It outlives the page of the settings, not the window. */
let typed: ReadonlyMap<string, string> = new Map();
const listeners = new Set<() => void>();

const replace = (change: (next: Map<string, string>) => void): void => {
  const next = new Map(typed);
  change(next);
  typed = next;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Keeps what is typed in a setting. */
export const typeSetting = (label: string, text: string): void => replace((next) => next.set(label, text));

/** Forgets what is typed in a setting, since it was saved; without a label, all of it. */
export const dropTyped = (label?: string): void =>
  replace((next) => (label === undefined ? next.clear() : next.delete(label)));

/** The labels of the settings in which something is typed that is not saved. */
export const unsavedSettings = (): readonly string[] => [...typed.keys()];

/** Whether there is any. */
export const useHasUnsavedSettings = (): boolean => useSyncExternalStore(subscribe, () => typed.size > 0);

/** What is typed in a setting; null where that is what counts already. */
export const useTypedSetting = (label: string, saved: string): string | null => {
  const text = useSyncExternalStore(subscribe, () => typed.get(label));
  const isSaved = text === saved;
  useEffect(() => {
    if (isSaved) dropTyped(label);
  }, [isSaved, label]);
  return text === undefined || isSaved ? null : text;
};
