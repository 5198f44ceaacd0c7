import type { History, HistoryEntry } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { Mint } from './mint.ts';
import { describeFailure, type Operation } from './operation.ts';
import type { WalletStore } from './wallet-store.ts';

/** The mint is asked about a sent token at most this often. */
const CHECK_EVERY_MS = 5_000;

/** The history does not wait longer for what the mint knows of sent tokens. */
const CHECK_WAIT_MS = 1_500;

const toEntry = (operation: Operation, store: WalletStore): HistoryEntry => {
  const { id, kind, state, amount, fee, memo, token, spent, reclaimed, subject, createdAt, updatedAt } =
    operation;
  const send = subject === undefined ? undefined : store.operationByNumber(subject);
  return {
    id,
    kind,
    state,
    amount,
    // Nothing was paid for what did not happen.
    fee: state === 'failed' ? 0 : fee,
    ...(memo === undefined ? {} : { memo }),
    ...(token === undefined ? {} : { token }),
    ...(kind === 'send' && state === 'completed' ? { spent, reclaimed } : {}),
    ...(send ? { sendId: send.id } : {}),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...describeFailure(operation),
  };
};

/** Makes the function that lists a page of the history, newest first, sent tokens with what the mint says of them. */
export const createHistory = (
  store: WalletStore,
  mint: Mint | undefined,
  clock: Clock,
  onChange: (operation: Operation) => void,
) => {
  const checkedAt = new Map<number, number>();

  const check = async (asked: Mint, operation: Operation) => {
    checkedAt.set(operation.number, clock.now());
    const states = await asked.states(store.sent(operation.number));
    if (!states.every((state) => state === 'SPENT')) return;
    checkedAt.delete(operation.number);
    store.markSpent(operation.number, false);
    onChange(store.operationByNumber(operation.number) ?? operation);
  };

  const isDue = ({ kind, state, spent, number }: Operation): boolean =>
    kind === 'send' &&
    state === 'completed' &&
    !spent &&
    clock.now() - (checkedAt.get(number) ?? Number.NEGATIVE_INFINITY) >= CHECK_EVERY_MS;

  const refresh = async (asked: Mint, operations: readonly Operation[]): Promise<boolean> => {
    const due = operations.filter(isDue);
    if (due.length === 0) return false;
    const checks = Promise.allSettled(due.map((operation) => check(asked, operation)));
    const waited = new Promise((resolve) => setTimeout(resolve, CHECK_WAIT_MS).unref());
    await Promise.race([checks, waited]);
    return true;
  };

  return async (cursor: string | undefined, limit: number): Promise<History> => {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const read = () => store.history(before, limit + 1);
    let operations = read();
    if (mint && (await refresh(mint, operations))) operations = read();
    const page = operations.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map((operation) => toEntry(operation, store)),
      ...(operations.length > limit && last ? { nextCursor: String(last.number) } : {}),
    };
  };
};
