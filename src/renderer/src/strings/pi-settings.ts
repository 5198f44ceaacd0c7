import { many } from './words.ts';

/** Strings for an agent's pi settings. */
export const piSettings = {
  label: (id: string): string => `pi settings of ${id}`,
  search: 'Search settings',
  changedOnly: 'Only changed settings',
  noMatch: 'No setting matches.',
  noneChanged: 'This agent uses pi’s defaults.',
  unreadable: 'pi ignores settings.json',
  others: (keys: number): string =>
    `${many(keys, 'other key', 'other keys')} in settings.json stay as they are.`,
  model: 'Model',
  general: 'General',
  unset: (value: string): string => `Default (${value})`,
  unsetUnknown: 'Default',
  on: 'On',
  off: 'Off',
  listHint: 'One per line.',
  jsonHint: 'As JSON.',
  hidden: 'Hidden, because it may hold a secret.',
  refused: 'pi doesn’t accept this value.',
  notNumber: 'Enter a number.',
  notJson: 'This isn’t valid JSON.',
  reset: 'Use default',
  resetLabel: (name: string): string => `Use default for ${name}`,
  change: (name: string): string => `Change ${name} in settings.json`,
  saved: (name: string): string => `${name} saved`,
  failed: (name: string): string => `${name} wasn’t saved`,
} as const;
