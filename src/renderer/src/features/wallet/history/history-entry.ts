import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';

/** The effect of an operation on the balance. `none`: it failed, or it only renewed proofs. */
type Direction = 'in' | 'out' | 'none';

/** The direction in which an operation moves sats, or moved them. */
export const directionOf = ({ kind, state }: Pick<HistoryEntry, 'kind' | 'state'>): Direction => {
  if (state === 'failed' || kind === 'swap') return 'none';
  return kind === 'send' || kind === 'spent_elsewhere' ? 'out' : 'in';
};

/** The fate of a sent token. Null for any other operation, and while it is unknown. */
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
