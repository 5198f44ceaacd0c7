import type { ReleasedOperation } from '../../../shared/api/wallet.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mint } from '../mint/mint.ts';
import { type Operation, sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { nextRecheckAt } from './ledger.ts';

const RELEASED = {
  code: 'released',
  message:
    'You released this operation. The wallet keeps checking, and credits the sats if the mint did finish it.',
} as const;

/**
 * Gives up a pending operation. Proofs of the wallet become free again, and others are returned as a token, which a
 * second call returns again. The wallet rechecks the operation like any failure that the mint never confirmed.
 *
 * Throws `not_releasable` if the operation has ended.
 */
export const release = async (
  { store, mint, clock }: { store: WalletStore; mint: Mint; clock: Clock },
  operation: Operation,
): Promise<ReleasedOperation> => {
  const { number, id, kind } = operation;
  const isReleased = operation.state === 'failed' && operation.isReleased;
  const plan = operation.state === 'pending' || isReleased ? operation.plan : undefined;
  if (!plan) {
    throw new AppError('not_releasable', 'You can only release a pending operation. This one has ended.');
  }
  const inWallet = kind === 'send' || kind === 'swap';
  // A send's and a swap's inputs become free again. As a token, they would be handed out twice.
  const given = inWallet ? {} : { token: await mint.encode(plan.inputs, operation.memo) };
  const released: ReleasedOperation = { operationId: id, ...given, amount: sumOf(plan.inputs), inWallet };
  // A caller that lost the answer gets it again.
  if (isReleased) return released;
  store.transaction(() => {
    if (!store.operations.fail(number, RELEASED, nextRecheckAt(0, clock.now()), true)) {
      throw new AppError('not_releasable', 'This operation just ended, so there is nothing to release.');
    }
    store.operations.freeInputs(number);
    store.proofs.releaseHeld(number);
  });
  return released;
};
