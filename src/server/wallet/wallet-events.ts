import type { Balance, OperationKind, OperationState } from '../../shared/api/wallet.ts';
import type { Operation } from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';

/** An operation for a host's notification. SECURITY: it contains no token, memo or text from the mint. */
export interface OperationReport {
  id: string;
  kind: OperationKind;
  state: OperationState;
  /** In sats. */
  amount: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** True if the operator released it. */
  isReleased: boolean;
  /** True if a customer pays for work or gets change with it. */
  isOfCharge: boolean;
}

/**
 * The wallet's reports to the program that hosts the server.
 *
 * - `opened`: a wallet was opened, with the operations that an earlier process left pending.
 * - `operation`: an operation began, changed or ended. An ended one may be reported more than once.
 * - `mint`: the mint responded to a request, or was unreachable. Only for requests that the wallet made anyway.
 */
export type WalletEvent =
  | { name: 'opened'; mintUrl: string; isSimulated: boolean; pending: readonly OperationReport[] }
  | { name: 'operation'; operation: OperationReport }
  | { name: 'mint'; isReachable: boolean };

/** Receives {@link WalletEvent}s. Must not throw. */
export type OnWalletEvent = (event: WalletEvent) => void;

/** Returns the totals for the API's `wallet` event. */
export const sumsOf = ({ balance, pending }: Balance) => ({ balance, pending });

/** Describes an operation for the API's `wallet` event. */
export const summaryOf = ({ id, kind, state }: Operation) => ({ id, kind, state });

/** Describes an operation for {@link WalletEvent}. */
export const reportOf = (operation: Operation, { charges }: WalletStore): OperationReport => {
  const { number, id, kind, state, amount, createdAt } = operation;
  const isReleased = operation.state === 'failed' && operation.isReleased;
  const isOfCharge = (charges.payment(number) ?? charges.paymentOfChange(number)) !== undefined;
  return { id, kind, state, amount, createdAt, isReleased, isOfCharge };
};
