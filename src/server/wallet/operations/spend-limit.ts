import { AppError } from '../../platform/app-error.ts';
import { startOfDay } from '../store/key-operations-table.ts';
import type { OnOperationWritten } from '../store/operation.ts';
import type { WalletContext } from './receive.ts';

/** An agent key that can send sats. */
export interface SpendingKey {
  readonly id: string;
  readonly satsPerDay: number;
  /** The key's agent, which the history names. */
  readonly agent: string | undefined;
}

/** An agent key's limit. */
interface SpendLimit {
  /** Refuses an amount above what is left, before any request to the mint. Throws `spend_limit_reached`. */
  requireLeft(amount: number): void;
  /**
   * Counts an operation in the transaction that writes it, so no other request can use the same sats of the
   * limit, and a crash keeps both or neither. Throws `spend_limit_reached`, which rolls back the operation.
   */
  readonly charge: OnOperationWritten;
}

/** Creates a key's limit, for all mints together. */
export const createSpendLimit = (
  { store, clock }: Pick<WalletContext, 'store' | 'clock'>,
  { id, satsPerDay, agent }: SpendingKey,
): SpendLimit => {
  const spentToday = () => store.keyUse.today(id);
  const requireWithin = (spent: number, spentBefore: number) => {
    if (spent <= satsPerDay) return;
    const left = Math.max(0, satsPerDay - spentBefore);
    throw new AppError(
      'spend_limit_reached',
      `This key can send ${satsPerDay} sat per day, fees included, and has ${left} sat left today. Send less, or ask the operator.`,
      {
        satsPerDay,
        spentToday: spentBefore,
        resetsAt: new Date(startOfDay(clock.now(), 1)).toISOString(),
      },
    );
  };

  return {
    requireLeft(amount) {
      const before = spentToday();
      requireWithin(before + amount, before);
    },
    charge(operation) {
      const before = spentToday();
      store.keyUse.add(operation, id);
      requireWithin(spentToday(), before);
      if (operation.kind === 'send') store.attributions.set(operation.number, { agent });
    },
  };
};
