import { parseModelName, priceNames } from '../../pi/agent-model.ts';
import { AppError } from './app-error.ts';

/** How many names to suggest. */
const MOST = 3;

/** Names with a lower similarity belong to another model. */
const SIMILAR = 0.5;

/** The end of a snapshot's name, such as `-2025-08-07`, `@20250929`, `-20250929-v1:0` or `-latest`. */
const SNAPSHOT = /[-@.](latest|20\d\d-?\d\d-?\d\d)(-v\d+)?(:\w+)?$/i;

const plain = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replace(SNAPSHOT, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));

/** The Dice coefficient of two names: 1 if they have the same pairs of letters, 0 if they share none. */
const similarity = (a: string, b: string): number => {
  if (a === b) return 1;
  const [ofA, ofB] = [pairsOf(a), pairsOf(b)];
  if (ofA.size + ofB.size === 0) return 0;
  return (2 * [...ofA].filter((pair) => ofB.has(pair)).length) / (ofA.size + ofB.size);
};

/**
 * Returns the priced names most similar to another name, best first. They can lack its provider or have a slightly
 * different spelling.
 */
const similarModels = (name: string, priced: Iterable<string>): string[] => {
  const exact = new Set<string>(priceNames(parseModelName(name)));
  const wanted = plain(name.slice(0, 200));
  return Array.from(priced, (candidate) => ({
    candidate,
    score: exact.has(candidate) ? 2 : similarity(wanted, plain(candidate)),
  }))
    .filter(({ score }) => score >= SIMILAR)
    .sort((a, b) => b.score - a.score || a.candidate.length - b.candidate.length)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
};

/** The error for a model without a price. It suggests similar names that have one. */
export const unknownModel = (name: string, priced: Iterable<string>): AppError => {
  const suggestions = similarModels(name, priced);
  const meant =
    suggestions.length > 0 ? ` Did you mean ${suggestions.map((each) => `"${each}"`).join(' or ')}?` : '';
  return new AppError(
    'unknown_model',
    `This model has no price.${meant}`,
    suggestions.length > 0 ? { suggestions } : {},
  ).withHint({
    route: 'GET /api/pricing/models',
    text: 'GET /api/pricing/models lists the models that have one.',
  });
};
