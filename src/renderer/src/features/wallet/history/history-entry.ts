import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';
import { charges } from '../../../strings/charges.ts';
import { wallet as words } from '../../../strings/wallet.ts';

/** The effect of an operation on the balance. `none`: it failed, or it only renewed proofs. */
type Direction = 'in' | 'out' | 'none';

/** The direction in which an operation moves sats, or moved them. */
export const directionOf = ({ kind, state }: Pick<HistoryEntry, 'kind' | 'state'>): Direction => {
  if (state === 'failed' || kind === 'swap') return 'none';
  return kind === 'send' || kind === 'spent_elsewhere' ? 'out' : 'in';
};

/** The name of an operation. A payment for a charge, and what its customer got back, are recognizable. */
export const titleOf = ({ kind, charge, label }: Pick<HistoryEntry, 'kind' | 'charge' | 'label'>): string => {
  if (charge === undefined) return words.history.kinds[kind];
  if (charge.balanceId !== undefined) return kind === 'send' ? charges.depositRefund : charges.deposit;
  if (kind !== 'send') return charges.title(label);
  return charge.state === 'refunded' ? charges.refund : charges.change;
};

/** Whether an operation uses proofs of the wallet, and not those of a token. */
export const usesOwnProofs = ({ kind }: Pick<HistoryEntry, 'kind'>): boolean =>
  kind === 'send' || kind === 'swap';

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

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', day: 'numeric' });
const withYear = new Intl.DateTimeFormat('en', { month: 'long', day: 'numeric', year: 'numeric' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** The midnight that began the local day of a time, in milliseconds since 1970. */
const startOfDay = (atMs: number): number => new Date(atMs).setHours(0, 0, 0, 0);

/** Whether an entry is the first one of its local day, in a list with the newest first. */
export const startsDay = (entries: readonly Pick<HistoryEntry, 'createdAt'>[], index: number): boolean => {
  const [entry, newer] = [entries[index], entries[index - 1]];
  if (!entry || !newer) return true;
  return startOfDay(Date.parse(entry.createdAt)) !== startOfDay(Date.parse(newer.createdAt));
};

/** The name of the local day of a time: Today, Yesterday, its weekday and date, or its date with the year. */
export const dayOf = (atMs: number, todayMs: number): string => {
  const day = startOfDay(atMs);
  // A time after today, from a wrong clock, is today.
  if (day >= todayMs) return words.history.today;
  // 12 hours before midnight is yesterday, also on a day of 23 or 25 hours.
  if (day === startOfDay(todayMs - 12 * 3_600_000)) return words.history.yesterday;
  const isThisYear = new Date(atMs).getFullYear() === new Date(todayMs).getFullYear();
  return (isThisYear ? weekday : withYear).format(atMs);
};

/** The time of the day, as the system writes it. */
export const timeOfDay = (atMs: number): string => clock.format(atMs);
