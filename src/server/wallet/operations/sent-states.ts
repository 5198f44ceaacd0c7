import type { Clock } from '../../platform/clock.ts';
import type { Mint } from '../mint/mint.ts';
import type { Operation } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** Tracks which sent tokens were redeemed. */
export interface SentStates {
  /** Queries the mint about these sends if it's time. Resolves to whether anything may have changed. Never rejects. */
  refresh(operations: readonly Operation[]): Promise<boolean>;
}

interface SentStatesParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  /** Returns how long the mint wants us to wait, in ms, or 0. */
  pausedForMs(): number;
  /** The minimum time between requests, however often the history is read. Default: {@link ASK_EVERY_MS}. */
  askEveryMs?: number | undefined;
  /** Called for each send whose token was redeemed. */
  onChange(operation: Operation): void;
}

const ASK_EVERY_MS = 60_000;

/** The limit for Ys in one request. Many mints accept this many (NUT-07). */
const MOST_YS = 100;

export const createSentStates = ({
  store,
  mint,
  clock,
  pausedForMs,
  askEveryMs = ASK_EVERY_MS,
  onChange,
}: SentStatesParts): SentStates => {
  let askedAt = Number.NEGATIVE_INFINITY;
  /** When the wallet last queried the mint about each send. */
  const checkedAt = new Map<number, number>();
  /** The spent Ys of sends that also have proofs not known to be spent. */
  const spent = new Set<string>();

  const unspentYs = (number: number) => store.operations.sentYs(number).filter((y) => !spent.has(y));

  /**
   * Picks one proof of each send first, because tokens are nearly always redeemed completely. Other proofs fill the
   * remaining room.
   */
  const choose = (due: readonly Operation[]): Map<string, number> => {
    const chosen = new Map<string, number>();
    const rest: [string, number][] = [];
    for (const { number } of due) {
      const [first, ...others] = unspentYs(number);
      if (first !== undefined && chosen.size < MOST_YS) chosen.set(first, number);
      rest.push(...others.map((y): [string, number] => [y, number]));
    }
    for (const [y, number] of rest) {
      if (chosen.size >= MOST_YS) break;
      chosen.set(y, number);
    }
    return chosen;
  };

  const query = async (due: readonly Operation[]) => {
    const chosen = choose(due);
    const numbers = new Set(chosen.values());
    for (const number of numbers) checkedAt.set(number, clock.now());
    const ys = [...chosen.keys()];
    const states = await mint.states(ys);
    for (const [index, y] of ys.entries()) if (states[index] === 'SPENT') spent.add(y);
    for (const number of numbers) {
      if (unspentYs(number).length > 0) continue;
      store.operations.markSpent(number, false);
      checkedAt.delete(number);
      for (const y of store.operations.sentYs(number)) spent.delete(y);
      const operation = store.operations.get(number);
      if (operation) onChange(operation);
    }
  };

  return {
    async refresh(operations) {
      const now = clock.now();
      if (now - askedAt < askEveryMs || pausedForMs() > 0) return false;
      const due = operations
        .filter((each) => each.kind === 'send' && each.state === 'completed' && !each.spent)
        .sort((a, b) => (checkedAt.get(a.number) ?? 0) - (checkedAt.get(b.number) ?? 0));
      if (due.length === 0) return false;
      askedAt = now;
      return query(due).then(
        () => true,
        () => false,
      );
    },
  };
};
