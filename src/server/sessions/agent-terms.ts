import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { NEWEST_PI } from '../../pi/flags.ts';
import { parsePiArguments } from '../../pi/pi-args.ts';
import { subscriptionsIn } from '../../pi/providers.ts';
import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import type { ModelPrice } from '../../shared/api/pricing.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import { isInside, type Root } from '../platform/root.ts';
import { readAgentText } from './session-dir.ts';

/** What an agent's own files say about the cost of its calls. SECURITY: it applies only to its own calls. */
export interface AgentTerms {
  /** The prices in its models.json. */
  readonly typed: TypedPrices;
  /** The numbers of input tokens above which these prices change. */
  readonly lengths: readonly number[];
  /** The providers whose calls a subscription covers, as the agent is signed in now. */
  readonly subscriptions: ReadonlySet<string>;
}

/** The terms of an agent whose files say nothing about costs. */
export const NO_TERMS: AgentTerms = { typed: NO_TYPED_PRICES, lengths: [], subscriptions: new Set() };

/** The files whose changes change an agent's terms. */
export const TERMS_FILES = ['models.json', 'auth.json', 'pi-args'] as const;

/** Returns the numbers of input tokens above which some of these prices change. */
export const lengthsOf = (prices: Iterable<Pick<ModelPrice, 'tiers'>>): Set<number> =>
  new Set(Array.from(prices).flatMap(({ tiers = [] }) => tiers.map((tier) => tier.input_tokens_above)));

/** How many lengths the prices of one agent can have. SECURITY: sums have a row for each. */
const MOST_LENGTHS = 32;

/** Returns the prices without those that have a length too many, so that their tokens have no price. */
const withFewLengths = (all: TypedPrices) => {
  const lengths = new Set<number>();
  const typed = new Map(all);
  for (const [name, price] of all) {
    const both = new Set([...lengths, ...lengthsOf([price])]);
    if (both.size > MOST_LENGTHS) typed.delete(name);
    else for (const length of both) lengths.add(length);
  }
  return { typed, lengths: [...lengths].sort((a, b) => a - b) };
};

/** Many agents link to the same files. */
const known = new LRUCache<string, AgentTerms>({ max: 100 });

/** Reads an agent's terms. Returns the same object for the same terms. Blocks. */
export const readTerms = (root: Pick<Root, 'path'>, agentDirectory: string): AgentTerms => {
  const read = (name: (typeof TERMS_FILES)[number]) => {
    const path = join(agentDirectory, name);
    // SECURITY: costs tell what these files say, so no link may end at another agent's file, or at a private one.
    const mayEnd = (place: string, realRoot: string) =>
      name !== 'auth.json' &&
      mayBeLinked(path, place, realRoot) &&
      !isInside(join(realRoot, 'agents'), place);
    return readAgentText(root, path, mayEnd).text ?? '';
  };
  const [models, signIns] = [read('models.json'), read('auth.json')];
  if (models === '' && signIns === '') return NO_TERMS;
  // pi uses a key in the arguments instead of a sign-in.
  const hasKey = signIns !== '' && parsePiArguments(read('pi-args'), NEWEST_PI).hasApiKey;
  // SECURITY: not the text of auth.json, because it has secrets.
  const subscriptions = hasKey ? NO_TERMS.subscriptions : subscriptionsIn(signIns);
  const key = JSON.stringify([models, ...subscriptions]);
  const before = known.get(key);
  if (before) return before;
  const prices = withFewLengths(typedPricesOf(models));
  const terms = prices.typed.size + subscriptions.size === 0 ? NO_TERMS : { ...prices, subscriptions };
  known.set(key, terms);
  return terms;
};
