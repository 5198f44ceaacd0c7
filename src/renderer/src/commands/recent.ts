// Read by the search and written by every page, so it belongs to neither.
import { z } from 'zod';
import { kept } from '../kept.ts';

const LIMIT = 12;

const storedKeys = z.array(z.string());

/** The keys of what was opened last, newest first, such as `agent:scout`. */
export const recentKeys = (): readonly string[] => {
  try {
    return storedKeys.parse(JSON.parse(kept.get('recent') ?? '[]'));
  } catch {
    return [];
  }
};

/** Remembers what was opened. */
export const rememberRecent = (key: string): void => {
  const keys = [key, ...recentKeys().filter((other) => other !== key)].slice(0, LIMIT);
  kept.set('recent', JSON.stringify(keys));
};
