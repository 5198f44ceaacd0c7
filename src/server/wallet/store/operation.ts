import type { ErrorCode } from '../../../shared/api/errors.ts';
import type { OperationKind, OperationState, OperationStatus } from '../../../shared/api/wallet.ts';
import { AppError } from '../../platform/app-error.ts';
import type { SwapPlan } from '../mint/mint.ts';
import type { Attribution } from './attributions-table.ts';

/** Why an operation failed or is still pending, in the shape of an API error. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

/** An operation as the database stores it. Amounts in sat, times in milliseconds since 1970. */
export interface Operation {
  /** Orders the history. Ids have no order. */
  number: number;
  id: string;
  kind: OperationKind;
  state: OperationState;
  /** The sats that a receive, reclaim or restore credits, or the face value of a send's token. */
  amount: number;
  fee: number;
  memo: string | undefined;
  token: string | undefined;
  spent: boolean;
  reclaimed: boolean;
  /** The number of the send that a reclaim redeems. */
  reclaimsOperation: number | undefined;
  /** Kept while the operation is pending, and for 30 days after it failed. */
  plan: SwapPlan | undefined;
  failure: Failure | undefined;
  /** It looks failed, and the wallet is confirming that. */
  confirming: boolean;
  /** How many times the wallet rechecked it after it failed. */
  rechecks: number;
  createdAt: number;
  updatedAt: number;
}

/** Creates the error that the API returns for a failure. */
export const failureError = ({ code, message, details }: Failure): AppError =>
  new AppError(code, message, details ?? {});

/** The fields of an attribution that an answer shows. */
export const shownAttribution = ({ agent, label }: Attribution): Attribution => ({
  ...(agent === undefined ? {} : { agent }),
  ...(label === undefined ? {} : { label }),
});

/** An operation as `GET /api/wallet/operations/:id` returns it, with the agent and the label that are known of it. */
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

/** The `error` field of an operation, if it has one. */
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

/** The total of proofs or sums, in sat. */
export const sumOf = (proofs: readonly { amount: number }[]): number =>
  proofs.reduce((total, { amount }) => total + amount, 0);

/** The sats that a plan brings to the wallet. */
export const keptSats = ({ keep }: SwapPlan): number =>
  keep.reduce((total, { blindedMessage }) => total + Number(blindedMessage.amount), 0);

/** Links an Idempotency-Key to its operation. Called in the transaction that writes the operation. */
export type OnOperationWritten = (operation: Operation) => void;
