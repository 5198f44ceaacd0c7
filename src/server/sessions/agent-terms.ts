import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import type { Root } from '../platform/root.ts';
import { readAgentText } from './session-dir.ts';

/** What an agent's own files say about the cost of its calls. */
export interface AgentTerms {
  /** The prices in its models.json. SECURITY: they count only for its own calls. */
  readonly typed: TypedPrices;
}

/** The terms of an agent whose files say nothing about costs. */
export const NO_TERMS: AgentTerms = { typed: NO_TYPED_PRICES };

/** The files whose changes change an agent's terms. */
export const TERMS_FILES = ['models.json'] as const;

/** Many agents link to the same file. */
const known = new LRUCache<string, AgentTerms>({ max: 100 });

/** Reads an agent's terms. Returns the same object for the same texts. Blocks. */
export const readTerms = (root: Pick<Root, 'path'>, agentDirectory: string): AgentTerms => {
  const models = readAgentText(root, join(agentDirectory, 'models.json')).text ?? '';
  if (models === '') return NO_TERMS;
  const before = known.get(models);
  if (before) return before;
  const typed = typedPricesOf(models);
  const terms = typed.size === 0 ? NO_TERMS : { typed };
  known.set(models, terms);
  return terms;
};
