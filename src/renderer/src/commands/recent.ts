// Read by the search and written by every page, so it belongs to neither.
import { z } from 'zod';
import { browserStorage } from '../browser-storage.ts';

const STORAGE_KEY = 'dot-mi.recent';
const LIMIT = 12;

const storedKeys = z.array(z.string());

/** The keys of what was opened last, newest first, such as `agent:scout`. */
export const recentKeys = (): readonly string[] => {
  try {
    return storedKeys.parse(JSON.parse(browserStorage.getItem(STORAGE_KEY) ?? '[]'));
  } catch {
    return [];
  }
};

/** Remembers what was opened, in this browser. */
export const rememberRecent = (key: string): void => {
  const keys = [key, ...recentKeys().filter((other) => other !== key)].slice(0, LIMIT);
  browserStorage.setItem(STORAGE_KEY, JSON.stringify(keys));
};
