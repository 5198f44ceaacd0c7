import { many, number } from './words.ts';

/** Texts of the choice of a model. */
export const models = {
  model: 'Model',
  unset: 'pi’s default',
  from: (source: string): string => `from ${source}`,
  title: 'Choose a model',
  search: 'Search models',
  list: 'Models',
  favorites: 'Favorites',
  others: 'Other',
  favorite: 'favorite',
  addFavorite: (name: string): string => `Add ${name} to favorites`,
  removeFavorite: (name: string): string => `Remove ${name} from favorites`,
  use: (name: string): string => `Use “${name}”`,
  noPrice: 'no price',
  sats: (sats: string): string => `${sats} sat`,
  perCall: (tokens: number): string =>
    `Price of one call with ${many(tokens, 'prompt token', 'prompt tokens')}`,
  uncounted: 'dot-mi can’t read this agent’s prompt, so it can’t say what a call costs.',
  perThousand: 'Price of 1,000 input tokens',
  perThousandOf: (price: string): string => `${price} per 1,000 input tokens`,
  none: 'The models file has no models. Add some under Pricing, or type a name.',
  set: (id: string, name: string): string => `${id} uses ${name}`,
  setFailed: (id: string): string => `The model of ${id} wasn’t changed`,
  undone: (id: string): string => `The model of ${id} is as before`,
  undoFailed: (id: string): string => `The model of ${id} wasn’t changed back`,
  setAll: (count: number, name: string): string => `${many(count, 'agent uses', 'agents use')} ${name}`,
  setAllFailed: (count: number): string => `The model of ${many(count, 'agent', 'agents')} wasn’t changed`,
  setting: (count: number): string => `Changing ${number.format(count)}…`,
  undoneAll: (count: number): string => `The model of ${many(count, 'agent', 'agents')} is as before`,
  undoAllFailed: (count: number): string =>
    `The model of ${many(count, 'agent', 'agents')} wasn’t changed back`,
  clear: 'Clear model',
} as const;
