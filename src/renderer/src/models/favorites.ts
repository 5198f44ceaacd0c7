import { useMemo, useSyncExternalStore } from 'react';
import { type Kept, kept, storedTexts } from '../kept.ts';

/** The limit for favorites, because the server limits the size of preferences. */
const MOST_FAVORITES = 100;

/** Adds a model to the favorites, or removes it. */
export const toggleFavorite = (name: string, { get, set }: Pick<Kept, 'get' | 'set'> = kept): void => {
  const names = storedTexts(get('favorite-models'));
  const others = names.filter((other) => other !== name);
  const next = others.length < names.length ? others : [name, ...others].slice(0, MOST_FAVORITES);
  set('favorite-models', next.length === 0 ? null : JSON.stringify(next));
};

const favoriteText = (): string | null => kept.get('favorite-models');

/** Returns the names of the favorite models. */
export const useFavorites = (): ReadonlySet<string> => {
  const text = useSyncExternalStore(kept.subscribe, favoriteText);
  return useMemo(() => new Set(storedTexts(text)), [text]);
};
