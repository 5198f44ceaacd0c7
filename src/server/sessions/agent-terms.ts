import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { NEWEST_PI } from '../../pi/flags.ts';
import { parsePiArguments } from '../../pi/pi-args.ts';
import { subscriptionsIn } from '../../pi/providers.ts';
import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import { mayBeLinked } from '../platform/may-read.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import { isInside, type Root } from '../platform/root.ts';
import { readAgentText } from './session-dir.ts';

/** What an agent's own files say about the cost of its calls. SECURITY: it applies only to its own calls. */
export interface AgentTerms {
  /** The prices in its models.json. */
  readonly typed: TypedPrices;
  /** The providers whose calls a subscription covers, as the agent is signed in now. */
  readonly subscriptions: ReadonlySet<string>;
}

/** The terms of an agent whose files say nothing about costs. */
export const NO_TERMS: AgentTerms = { typed: NO_TYPED_PRICES, subscriptions: new Set() };

/** The files whose changes change an agent's terms. */
export const TERMS_FILES = ['models.json', 'auth.json', 'pi-args'] as const;

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
  const typed = typedPricesOf(models);
  const terms = typed.size + subscriptions.size === 0 ? NO_TERMS : { typed, subscriptions };
  known.set(key, terms);
  return terms;
};
