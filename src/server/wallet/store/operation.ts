import type { ErrorCode } from '../../../shared/api/errors.ts';
import type { OperationKind, OperationStatus } from '../../../shared/api/wallet.ts';
import { AppError } from '../../platform/app-error.ts';
import type { SwapPlan } from '../mint/mint.ts';
import type { Attribution } from './attributions-table.ts';

/** Why an operation failed or is still pending, in the format of an API error. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

interface OperationBase {
  /** Orders the history, because ids have no order. */
  number: number;
  id: string;
  /** The sats that a receive, reclaim or restore credits, or the face value of a send's token. */
  amount: number;
  fee: number;
  memo: string | undefined;
  createdAt: number;
  updatedAt: number;
}

/** `reclaimsOperation` is the number of the send that a reclaim redeems. */
type ByKind = { kind: Exclude<OperationKind, 'reclaim'> } | { kind: 'reclaim'; reclaimsOperation: number };

/** An operation that the mint hasn't finished. */
export type PendingOperation = OperationBase &
  ByKind & {
    state: 'pending';
    plan: SwapPlan;
    /** Why the operation hasn't ended yet. */
    failure: Failure | undefined;
    /** True if the operation looks failed and the wallet is confirming that. */
    confirming: boolean;
  };

/** An operation that the mint didn't carry out, according to its responses. */
export type FailedOperation = OperationBase &
  ByKind & {
    state: 'failed';
    failure: Failure;
    /** True if the operator released it. */
    isReleased: boolean;
    /** Stored for 30 days, or until a receive's last recheck, in case the mint carried it out anyway. */
    plan: SwapPlan | undefined;
    /** How many times the wallet rechecked it. */
    rechecks: number;
  };

/** A send whose token exists. */
export type CompletedSend = OperationBase & {
  kind: 'send';
  state: 'completed';
  token: string;
  spent: boolean;
  reclaimed: boolean;
};

/** An operation that moved sats. */
export type CompletedOperation =
  | CompletedSend
  | (OperationBase &
      Exclude<ByKind, { kind: 'reclaim' }> & {
        kind: Exclude<OperationKind, 'send' | 'reclaim'>;
        state: 'completed';
      })
  | (OperationBase & Extract<ByKind, { kind: 'reclaim' }> & { state: 'completed' });

/** An operation as the database stores it. Amounts in sats, times in milliseconds since 1970. */
export type Operation = PendingOperation | FailedOperation | CompletedOperation;

/** Returns the send that a reclaim redeems. Undefined for other kinds. */
export const reclaimedSend = (operation: Operation): number | undefined =>
  operation.kind === 'reclaim' ? operation.reclaimsOperation : undefined;

/** What took one of a token's proofs. */
export interface Taken {
  state: 'pending' | 'completed';
  /**
   * Undefined if the token doesn't contain all of the operation's inputs. SECURITY: a customer's payer may still know
   * one of them, and must learn and get nothing.
   */
  operation: Operation | undefined;
}

/** Creates the error that the API returns for a failure. */
export const failureError = ({ code, message, details }: Failure): AppError =>
  new AppError(code, message, details ?? {});

/** Returns an attribution's fields for a response. */
export const shownAttribution = ({ agent, label }: Attribution): Attribution => ({
  ...(agent === undefined ? {} : { agent }),
  ...(label === undefined ? {} : { label }),
});

/** Describes an operation for `GET /api/wallet/operations/:id`, with its agent and label, if known. */
export const describeOperation = (operation: Operation, attribution: Attribution): OperationStatus => ({
  id: operation.id,
  kind: operation.kind,
  state: operation.state,
  amount: operation.amount,
  ...shownAttribution(attribution),
  ...describeFailure(operation),
  createdAt: new Date(operation.createdAt).toISOString(),
  updatedAt: new Date(operation.updatedAt).toISOString(),
});

/** Returns an operation's `error` field, if it has one. */
export const describeFailure = (operation: Operation): { error?: { error: string; code: string } } => {
  if (operation.state === 'completed') return {};
  const { kind, failure } = operation;
  if (operation.state === 'pending' && operation.confirming) {
    return {
      error: {
        error: 'This operation seems to have failed. The wallet is making sure before it gives up.',
        code: kind === 'send' ? 'send_pending' : 'redemption_pending',
      },
    };
  }
  return failure ? { error: { error: failure.message, code: failure.code } } : {};
};

/** Returns the total of proofs or sums, in sats. */
export const sumOf = (proofs: readonly { amount: number }[]): number =>
  proofs.reduce((total, { amount }) => total + amount, 0);

/** Returns the sats that a plan adds to the wallet. */
export const keptSats = ({ keep }: SwapPlan): number =>
  keep.reduce((total, { blindedMessage }) => total + Number(blindedMessage.amount), 0);

/** Links an Idempotency-Key to its operation. Called in the transaction that writes the operation. */
export type OnOperationWritten = (operation: Operation) => void;
