import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';

/** What an operation did to the balance. `none`: it failed, or it only renewed proofs. */
export type Direction = 'in' | 'out' | 'none';

/** Which way the sats of an operation went, or are going. */
export const directionOf = ({ kind, state }: Pick<HistoryEntry, 'kind' | 'state'>): Direction => {
  if (state === 'failed' || kind === 'swap') return 'none';
  return kind === 'send' || kind === 'spent_elsewhere' ? 'out' : 'in';
};

/** What became of a token that was sent; null for anything else, and while nobody knows. */
export const fateOf = ({
  kind,
  state,
  spent,
  reclaimed,
}: Pick<HistoryEntry, 'kind' | 'state' | 'spent' | 'reclaimed'>):
  | 'unspent'
  | 'redeemed'
  | 'reclaimed'
  | null => {
  if (kind !== 'send' || state !== 'completed' || spent === undefined) return null;
  if (!spent) return 'unspent';
  return reclaimed ? 'reclaimed' : 'redeemed';
};
