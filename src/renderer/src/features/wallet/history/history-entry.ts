import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';
import { charges } from '../../../strings/charges.ts';
import { wallet as words } from '../../../strings/wallet.ts';

/** An operation's effect on the balance. `none`: it failed, or it only renewed proofs. */
type Direction = 'in' | 'out' | 'none';

/** Returns the direction in which an operation moves or moved sats. */
export const directionOf = ({ kind, state }: Pick<HistoryEntry, 'kind' | 'state'>): Direction => {
  if (state === 'failed' || kind === 'swap') return 'none';
  return kind === 'send' || kind === 'spent_elsewhere' ? 'out' : 'in';
};

/** Returns an operation's name. Payments for a charge, and their change, have their own names. */
export const titleOf = ({ kind, charge, label }: Pick<HistoryEntry, 'kind' | 'charge' | 'label'>): string => {
  if (charge === undefined) return words.history.kinds[kind];
  if (charge.balanceId !== undefined) return kind === 'send' ? charges.depositRefund : charges.deposit;
  if (kind !== 'send') return charges.title(label);
  return charge.state === 'refunded' ? charges.refund : charges.change;
};

/** Returns whether an operation uses the wallet's own proofs instead of a token's. */
export const usesOwnProofs = ({ kind }: Pick<HistoryEntry, 'kind'>): boolean =>
  kind === 'send' || kind === 'swap';

/** Returns what happened to a sent token. Null for any other operation, and while it's unknown. */
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

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', day: 'numeric' });
const withYear = new Intl.DateTimeFormat('en', { month: 'long', day: 'numeric', year: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Returns the start of a time's local day, in milliseconds since 1970. */
const startOfDay = (atMs: number): number => new Date(atMs).setHours(0, 0, 0, 0);

/** Returns whether an entry is the first one of its local day, in a list with the newest first. */
export const startsDay = (entries: readonly Pick<HistoryEntry, 'createdAt'>[], index: number): boolean => {
  const [entry, newer] = [entries[index], entries[index - 1]];
  if (!entry || !newer) return true;
  return startOfDay(Date.parse(entry.createdAt)) !== startOfDay(Date.parse(newer.createdAt));
};

/** Returns the name of a time's local day: Today, Yesterday, its weekday and date, or its date with the year. */
export const dayOf = (atMs: number, todayMs: number): string => {
  const day = startOfDay(atMs);
  // A future time, from a wrong clock, counts as today.
  if (day >= todayMs) return words.history.today;
  // 12 hours before today's midnight is always yesterday, even if that day has 23 or 25 hours.
  if (day === startOfDay(todayMs - 12 * 3_600_000)) return words.history.yesterday;
  const isThisYear = new Date(atMs).getFullYear() === new Date(todayMs).getFullYear();
  return (isThisYear ? weekday : withYear).format(atMs);
};

/** Returns the time of day, in the system's format. */
export const timeOfDay = (atMs: number): string => clock.format(atMs);
