import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  isLasting,
  type Keysets,
  type Mint,
  MintError,
  MOST_SATS,
  type OutputKeyset,
  type Proof,
  type ProofState,
  TokenError,
} from '../mint/mint.ts';
import {
  type CompletedSend,
  failureError,
  type OnOperationWritten,
  type Operation,
  type PendingOperation,
  sumOf,
  type Taken,
} from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { OnStep } from './decide.ts';
import type { DueQueue } from './due-queue.ts';
import type { WalletOutputs } from './outputs.ts';
import {
  ownTokenFailure,
  reclaimPendingError,
  refusalError,
  seedMissingError,
  tokenFailure,
  tooManySatsError,
} from './problems.ts';
import type { ProofChecks } from './proof-checks.ts';
import { readToken } from './read-token.ts';
import type { Reconciler } from './reconcile.ts';
import type { Recovery } from './recovery.ts';
import type { Runner, RunResult } from './runner.ts';
import { feeOf } from './selection.ts';
import type { TokenShare } from './token-share.ts';

/** How long a request waits for the mint. After that, the wallet responds anyway. */
export const REQUEST_DEADLINE_MS = 15_000;

/** The dependencies of receives and sends. */
export interface WalletContext {
  /** The normalized URL of the mint whose tokens the wallet accepts. */
  mintUrl: string;
  store: WalletStore;
  mint: Mint;
  outputs: WalletOutputs;
  reconciler: Reconciler;
  runner: Runner;
  recovery: Recovery;
  proofChecks: ProofChecks;
  queue: DueQueue;
  /** Limits the requests for tokens of callers other than the operator. */
  tokenShare: TokenShare;
  /** Checks the free proofs in the background. */
  checkSoon(): void;
  clock: Clock;
  requestDeadlineMs: number;
  onStep: OnStep;
  /** Called after an operation began or was released. */
  onChange(operation: Operation): void;
  /** Returns the sats available for sends, in free proofs of listed keysets that haven't expired. */
  spendable(): number;
  /** Returns the sats on keysets that the mint no longer lists. */
  unlisted(): number;
  /** Returns whether the backup words are present, so that received sats can be restored. */
  hasSeed(): boolean;
  /** Rejects while the mint limits swaps, or is away. */
  requireMint(): Promise<void>;
}

/**
 * Returns the mint's keysets and the one for new outputs, after checking whether the mint already signed its next
 * counters. `known` are keysets that the mint's thread just returned. Rejects with {@link MintError} `invalid` if no
 * keyset is active.
 */
export const requireOutputKeyset = async (
  { mint, reconciler }: Pick<WalletContext, 'mint' | 'reconciler'>,
  known?: Keysets,
): Promise<{ keysets: Keysets; output: OutputKeyset }> => {
  let keysets = known ?? (await mint.keysets(false));
  if (!keysets.output) keysets = await mint.keysets(true);
  const { output } = keysets;
  if (!output) throw new MintError('invalid', 'The mint has no active keyset in sats.');
  await reconciler.look([output.id]);
  return { keysets, output };
};

/** Runs a new operation until it ends or the deadline passes. After that, it continues in the background. */
export const runInRequest = async (
  { runner, recovery, clock, requestDeadlineMs }: WalletContext,
  operation: PendingOperation,
): Promise<RunResult> => {
  const deadline = clock.now() + requestDeadlineMs;
  const run = runner.run(operation, { fresh: true, deadline }).then((result) => {
    if (result.operation.state === 'pending') recovery.schedule(result.retryAfterMs);
    return result;
  });
  let cancelTimer: (() => void) | undefined;
  const late = new Promise<RunResult>((resolve) => {
    cancelTimer = clock.after(requestDeadlineMs, () => resolve({ operation }));
  });
  try {
    return await Promise.race([run, late]);
  } finally {
    cancelTimer?.();
  }
};

/** Checked outside proofs, ready to be redeemed. */
interface PreparedReceive {
  kind: 'receive' | 'reclaim' | 'restore';
  proofs: Proof[];
  fee: number;
  /** The keysets found while checking the proofs. */
  keysets: Keysets;
  memo?: string | undefined;
  reclaimsOperation?: number;
  /** True if DLEQ proofs show that the mint signed all proofs (NUT-12). */
  isSigned?: boolean;
  /** The token of another mint that test money replaced. */
  replaced?: Omit<Parameters<WalletStore['testTokens']['keep']>[0], 'operation'>;
}

/** Swaps outside proofs for the wallet's own. */
export interface Receiver {
  /** Reads a token, and refuses it if the wallet can decide that without sending its proofs. */
  inspect(token: string): Promise<PreparedReceive>;
  receive(prepared: PreparedReceive, bind: OnOperationWritten): Promise<RunResult>;
}

export const createReceiver = (context: WalletContext): Receiver => {
  const { store, mint, outputs, clock, onStep, onChange } = context;
  /**
   * The Ys of proofs whose operation is being prepared. If two requests have the same token, only one can use
   * counters.
   */
  const claimed = new Set<string>();

  const refuseOwn = (taken: Taken | undefined, kind: PreparedReceive['kind']) => {
    if (!taken) return;
    const isOfReclaim = kind === 'reclaim' && taken.state === 'pending';
    throw isOfReclaim ? reclaimPendingError(taken.operation) : failureError(ownTokenFailure(taken));
  };

  /** Checks our own database before any request to the mint. */
  const refuseTaken = (
    ys: readonly string[],
    kind: PreparedReceive['kind'],
    own = store.operations.ofInput(ys),
  ) => {
    refuseOwn(own, kind);
    if (!ys.some((y) => claimed.has(y))) return;
    throw kind === 'reclaim' ? reclaimPendingError() : failureError(tokenFailure('pending'));
  };

  /**
   * Refuses a spent token while someone else may have used the next counters, or they are becoming scarce. If a swap's
   * response is lost, spent inputs and signed outputs look like success. They prove nothing if another copy of this wallet
   * may have had the same outputs signed, and the token may have been spent before. Also refuses a pending one, which
   * would keep its counters.
   */
  const requireUnspent = async (proofs: readonly Proof[]) => {
    const states = await mint.states(proofs.map(({ y }) => y)).catch((error: unknown): ProofState[] => {
      // A mint without NUT-07 can't report the states.
      if (error instanceof MintError && isLasting(error)) return [];
      throw error;
    });
    if (states.includes('SPENT')) throw new TokenError('spent');
    if (states.includes('PENDING')) throw new TokenError('pending');
  };

  const write = async (
    { kind, proofs, fee, keysets, memo, isSigned = false, reclaimsOperation: subject }: PreparedReceive,
    bind: OnOperationWritten,
  ): Promise<PendingOperation> => {
    const amount = sumOf(proofs) - fee;
    const { output } = await requireOutputKeyset(context, keysets);
    const ys = proofs.map(({ y }) => y);
    const isUncertain = !context.reconciler.isSure(output.id) || outputs.isCrowded(output.id);
    const requireOthersUnspent = () =>
      requireUnspent(proofs).catch(async (error: unknown) => {
        // A failed operation of ours may have redeemed these proofs.
        if (error instanceof TokenError) await context.recovery.recheckTakers(ys);
        refuseOwn(store.operations.ofInput(ys), kind);
        throw error;
      });
    if (kind === 'receive' && isUncertain) await requireOthersUnspent();
    const isSure = kind !== 'receive' || (isUncertain && isSigned);
    const kept = await outputs.make(output, amount, clock.now() + context.requestDeadlineMs, isSure);
    const { counters } = kept;
    try {
      // Signed outputs prove nothing if the swap that had these counters before may be the one that the mint carried out.
      if (kind === 'receive' && kept.isReused && !isUncertain) await requireOthersUnspent();
      return store.transaction(() => {
        // Recovery may also have completed that operation while the outputs were created.
        refuseOwn(store.operations.ofInput(ys), kind);
        if (store.total() + amount > MOST_SATS) throw tooManySatsError();
        const operation = store.operations.add({
          kind,
          amount,
          fee,
          memo,
          ...(subject === undefined ? {} : { reclaimsOperation: subject }),
          plan: {
            keysetId: output.id,
            inputs: proofs,
            keep: kept.outputs,
            send: [],
            ...(counters ? { counters } : {}),
          },
        });
        store.operations.addInputs(operation.number, ys);
        outputs.record(kept);
        bind(operation);
        return operation;
      });
    } catch (error) {
      outputs.discard(kept);
      throw error;
    }
  };

  return {
    async inspect(token) {
      if (!context.hasSeed()) throw seedMissingError();
      const reading = await readToken(context, token);
      if (reading.kind === 'refused') throw refusalError(reading, context.mintUrl);
      // Even without the mint, the wallet recognizes a token that it redeemed.
      refuseTaken(reading.ys, 'receive', reading.own);
      if (reading.kind === 'unopened') throw reading.error;
      await context.requireMint();
      const { opened, keysets, description } = reading;
      const { proofs, fee, signaturesChecked: isSigned } = opened;
      return { kind: 'receive', proofs, fee, keysets, memo: description.memo, isSigned };
    },

    async receive(prepared, bind) {
      const { proofs, fee, kind } = prepared;
      if (sumOf(proofs) <= fee) {
        throw new AppError(
          'amount_below_fee',
          `The mint’s fee for this token is ${fee} sat, but the token holds only ${sumOf(proofs)} sat. Ask its sender for a larger one.`,
        );
      }
      const ys = proofs.map(({ y }) => y);
      refuseTaken(ys, kind);
      for (const y of ys) claimed.add(y);
      let operation: PendingOperation;
      try {
        operation = await write(prepared, bind);
      } finally {
        for (const y of ys) claimed.delete(y);
      }
      onStep('operation-written');
      onChange(operation);
      return runInRequest(context, operation);
    },
  };
};

/** Returns a send whose token can be reclaimed. Throws `not_reclaimable` for any other operation. */
const requireSent = (send: Operation, store: WalletStore): CompletedSend => {
  if (send.kind === 'send' && send.state === 'completed' && !send.reclaimed) return send;
  const reclaim = store.operations.completedReclaim(send.number);
  if (reclaim)
    throw new AppError('not_reclaimable', 'This wallet has already reclaimed this token.', {
      operationId: reclaim.id,
    });
  throw new AppError('not_reclaimable', 'You can only reclaim a token that this wallet sent.');
};

/** The error for a reclaim whose token is spent. */
const redeemedError = () =>
  new AppError('already_spent', 'This token has already been redeemed, so there is nothing to reclaim.');

/** Prepares a sent token's unspent proofs for a reclaim. */
export const inspectReclaim = async (
  context: WalletContext,
  operation: Operation,
): Promise<PreparedReceive> => {
  const { store, recovery, requireMint, hasSeed } = context;
  if (!hasSeed()) throw seedMissingError();
  const send = requireSent(operation, store);
  const pending = store.operations.pendingReclaim(send.number);
  if (pending) throw reclaimPendingError(pending);
  // Ask the mint even if the token looks redeemed, because a mint can be wrong about a state.
  await requireMint();
  const reading = await readToken(context, send.token, Number.POSITIVE_INFINITY);
  if (reading.kind === 'refused') throw refusalError(reading, context.mintUrl);
  if (reading.kind === 'unopened') throw reading.error;
  const { opened, keysets } = reading;
  const states = await reading.states();
  const unspent = opened.proofs.filter((_, index) => states[index] === 'UNSPENT');
  if (states.every((state) => state === 'SPENT')) {
    // An earlier reclaim that failed may have been carried out.
    await recovery.recheckTakers(reading.ys);
    requireSent(store.operations.get(send.number) ?? send, store);
    if (store.operations.recheckedWith(reading.ys).length > 0) throw reclaimPendingError();
    store.operations.markSpent(send.number, false);
    throw redeemedError();
  }
  if (unspent.length === 0) throw new TokenError('pending');
  const fee = feeOf(unspent, keysets);
  if (fee === undefined) throw new TokenError('unknown_keyset');
  return { kind: 'reclaim', proofs: unspent, fee, keysets, memo: send.memo, reclaimsOperation: send.number };
};
