import type { BalanceHistory, History, HistoryEntry } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { SentStates } from './operations/sent-states.ts';
import { describeFailure, type Operation, reclaimedSend, shownAttribution } from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';

/** How long the history waits for the mint's response about sent tokens. */
const CHECK_WAIT_MS = 1_500;

/** Returns the history's fields about a sent token. */
const sentFields = (operation: Operation) => {
  if (operation.kind !== 'send' || operation.state !== 'completed') return {};
  const { token, spent, reclaimed } = operation;
  return { token, spent, reclaimed };
};

/** Returns the fields of the charge that an operation paid, or whose change it contains. */
const chargeFields = (
  { number, kind }: Operation,
  { charges, prepaid }: WalletStore,
): Pick<HistoryEntry, 'charge'> => {
  if (kind !== 'receive' && kind !== 'send') return {};
  const payment = kind === 'receive' ? charges.payment(number) : charges.paymentOfChange(number);
  const charge = payment && charges.get(payment.charge);
  if (!charge) return {};
  const { charged, balance } = payment;
  const balanceId = balance === undefined ? undefined : prepaid.get(balance)?.id;
  return {
    charge: {
      id: charge.id,
      state: charge.state,
      ...(charged === undefined ? {} : { charged }),
      ...(balanceId === undefined ? {} : { balanceId }),
    },
  };
};

const toEntry = (operation: Operation, store: WalletStore): HistoryEntry => {
  const { number, id, kind, state, amount, fee, memo, createdAt, updatedAt } = operation;
  const subject = reclaimedSend(operation);
  const send = subject === undefined ? undefined : store.operations.get(subject);
  return {
    id,
    kind,
    state,
    amount,
    // A failed operation cost nothing.
    fee: state === 'failed' ? 0 : fee,
    ...(memo === undefined ? {} : { memo }),
    ...sentFields(operation),
    ...(send ? { sendId: send.id } : {}),
    ...chargeFields(operation, store),
    ...shownAttribution(store.attributions.of(number)),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...describeFailure(operation),
  };
};

/** Returns the history row of one operation, or none. Sends no request to the mint. */
export const historyOf = (store: WalletStore, operation: Operation | undefined): History => ({
  entries: operation ? [toEntry(operation, store)] : [],
});

/**
 * Creates the function that lists a page of the history, newest first, for all operations or an agent's. With
 * `sentStates`, it queries the mint about sent tokens.
 */
export const createHistory =
  (store: WalletStore, sentStates?: SentStates) =>
  async (cursor: string | undefined, limit: number, agent?: string): Promise<History> => {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const read = () => store.operations.page(before, limit + 1, agent);
    let operations = read();
    if (sentStates) {
      const waited = new Promise<boolean>((resolve) =>
        setTimeout(() => resolve(false), CHECK_WAIT_MS).unref(),
      );
      if (await Promise.race([sentStates.refresh(operations), waited])) operations = read();
    }
    const page = operations.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map((operation) => toEntry(operation, store)),
      ...(operations.length > limit && last ? { nextCursor: String(last.number) } : {}),
    };
  };

/** Creates the function that returns the balance at the end of each recent local day, and now. */
export const createBalanceHistory =
  (store: WalletStore, clock: Clock) =>
  (days: number): BalanceHistory => {
    const nowMs = clock.now();
    const today = new Date(nowMs);
    const ends = Array.from({ length: days }, (_, index) =>
      new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + index + 1).getTime(),
    );
    const times = [...ends, nowMs];
    const free = store.postings.freeAt(times);
    return {
      points: times.map((at, index) => ({ at: new Date(at).toISOString(), balance: free[index] ?? 0 })),
    };
  };
