import type { ErrorCode } from '../../../shared/api/errors.ts';
import type { OperationKind, OperationState, OperationStatus } from '../../../shared/api/wallet.ts';
import { AppError } from '../../platform/app-error.ts';
import type { SwapPlan } from '../mint/mint.ts';

/** Why an operation failed, or has not ended yet: an error as a request would be answered. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

/** Something the wallet did or is doing. Amounts in sat, times in milliseconds since 1970. */
export interface Operation {
  /** Orders the history; ids do not. */
  number: number;
  id: string;
  kind: OperationKind;
  state: OperationState;
  /** Credited by a receive, reclaim or restore; the face value of a send's token. */
  amount: number;
  fee: number;
  /** What completion adds to the balance. */
  expected: number;
  memo: string | undefined;
  token: string | undefined;
  spent: boolean;
  reclaimed: boolean;
  /** The number of the send that a reclaim takes back. */
  reclaimsOperation: number | undefined;
  /** While it is pending, and for a while after it failed. */
  plan: SwapPlan | undefined;
  failure: Failure | undefined;
  /** It looks failed, and the wallet makes sure before it says so. */
  confirming: boolean;
  /** How often it was checked again after it failed. */
  rechecks: number;
  createdAt: number;
  updatedAt: number;
}

/** The error that a failure is answered with. */
export const failureError = ({ code, message, details }: Failure): AppError =>
  new AppError(code, message, details ?? {});

/** An operation as `GET /api/wallet/operations/:id` tells it. */
export const describeOperation = (operation: Operation): OperationStatus => ({
  id: operation.id,
  kind: operation.kind,
  state: operation.state,
  amount: operation.amount,
  ...describeFailure(operation),
  createdAt: new Date(operation.createdAt).toISOString(),
  updatedAt: new Date(operation.updatedAt).toISOString(),
});

/** The `error` of an operation, for those that have one. */
export const describeFailure = ({
  kind,
  failure,
  confirming,
}: Operation): { error?: { error: string; code: string } } => {
  if (confirming) {
    return {
      error: {
        error: 'This looks like a failure. The wallet is confirming before it gives up.',
        code: kind === 'send' ? 'send_pending' : 'redemption_pending',
      },
    };
  }
  return failure ? { error: { error: failure.message, code: failure.code } } : {};
};

/** What proofs or sums are worth together, in sat. */
export const sumOf = (proofs: readonly { amount: number }[]): number =>
  proofs.reduce((total, { amount }) => total + amount, 0);

/** Links the key to its operation; called in the transaction that writes the operation. */
export type Bind = (operation: Operation) => void;
