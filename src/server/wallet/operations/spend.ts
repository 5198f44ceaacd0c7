import type { ErrorCode } from '../../../shared/api/errors.ts';
import { AppError } from '../../platform/app-error.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';
import type { Output, OutputKeyset } from '../mint/mint.ts';
import { type Bind, failureError, type Operation, sumOf } from '../store/operation.ts';
import { type FreeProof, ProofsTakenError } from '../store/proofs-table.ts';
import { type KeptOutputs, splitAmount } from './outputs.ts';
import { pendingError } from './problems.ts';
import { requireOutputKeyset, runInRequest, type WalletContext } from './receive.ts';
import { type Selection, selectProofs } from './selection.ts';

/** Spends the wallet's own proofs. */
export interface Spender {
  /**
   * Creates a token from the balance. The transaction that writes an operation calls `bind` for the send, and
   * `charge` for the send and each swap before it. Nothing is written if one of them throws.
   */
  send(amount: number, memo: string | undefined, bind: Bind, charge?: Bind): Promise<Operation>;
  /**
   * Swaps proofs for fewer, larger ones of the current keyset. Returns undefined if nothing would be left.
   */
  merge(keysetId: string, choose: (most: number) => FreeProof[]): Promise<Operation | undefined>;
}

/** The limit of Nutshell and cdk, used until the mint names its own. */
const MOST_INPUTS = 1_000;

/**
 * The wallet believes a lower limit only if the mint names it. A strange token must not shrink every later
 * send.
 */
const FEWEST_UNNAMED = 50;
const FEWEST_INPUTS = 2;

const INPUT_LIMIT = 'most_inputs';

/** How often to try a send if another copy of this wallet spent proofs, or the mint refused its size. */
const MOST_TRIES: Partial<Record<ErrorCode, number>> = { already_spent: 4, token_too_large: 12 };

/** The most inputs that the mint accepts in one swap, as far as the wallet knows. */
export const inputLimit = (store: Pick<WalletContext['store'], 'metadata'>): number =>
  Number(store.metadata(INPUT_LIMIT) ?? MOST_INPUTS);

/** Each selection after the first replaces proofs that turned out to be spent. */
const MOST_SELECTIONS = 10;

/** Remembers that the mint refused `refused` inputs. `named` is the limit that it named. */
export const rememberInputLimit = (
  store: Pick<WalletContext['store'], 'setMetadata'>,
  refused: number,
  named: number | undefined,
): void => {
  const isNamed = named !== undefined && named < refused;
  const most = isNamed
    ? Math.max(named, FEWEST_INPUTS)
    : Math.max(Math.floor(refused / 2), Math.min(FEWEST_UNNAMED, refused));
  store.setMetadata(INPUT_LIMIT, String(most));
};

/** Creates a {@link Spender}. */
export const createSpender = (context: WalletContext): Spender => {
  const { store, mint, outputs, clock, onStep, onChange } = context;
  /** Selecting and reserving proofs is one step, so that two sends never select the same ones. */
  const lock = createKeyedLock();

  const write = (
    { proofs, fee, change }: Selection,
    kept: KeptOutputs,
    sent: { amount: number; memo?: string | undefined; outputs: Output[] } | undefined,
    bind: Bind,
  ): Operation => {
    const ys = proofs.map(({ y }) => y);
    const { counters } = kept;
    try {
      const operation = store.transaction(() => {
        const written = store.addOperation({
          kind: sent ? 'send' : 'swap',
          amount: sent?.amount ?? change,
          fee,
          expected: change,
          memo: sent?.memo,
          plan: {
            keysetId: kept.keysetId,
            inputs: store.proofs(ys),
            keep: kept.outputs,
            send: sent?.outputs ?? [],
            ...(counters ? { counters } : {}),
          },
        });
        store.hold(written.number, ys);
        outputs.record(kept);
        bind(written);
        return written;
      });
      onStep('operation-written');
      onChange(operation);
      return operation;
    } catch (error) {
      outputs.discard(kept);
      throw error;
    }
  };

  /**
   * Selects again if a check finds selected proofs spent while their outputs are created. The other proofs
   * may still cover it.
   */
  const reselecting = async <T>(select: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await lock.run('proofs', select);
      } catch (error) {
        if (!(error instanceof ProofsTakenError)) throw error;
        if (tries === MOST_SELECTIONS)
          throw new AppError(
            'wallet_busy',
            'The wallet is checking its proofs. Try again.',
            { retryAfterSeconds: 1 },
            error,
          );
      }
    }
  };

  const deadline = () => clock.now() + context.requestDeadlineMs;

  const insufficient = (amount: number) =>
    new AppError(
      'insufficient_funds',
      `The wallet can spend ${context.spendable()} sat, which does not cover ${amount} sat plus the mint's fee. Receive more sats, or send less.`,
    );

  /** Writes a swap of chosen proofs for as few as their sum needs. */
  const writeMerge = async (
    proofs: FreeProof[],
    output: OutputKeyset,
    feePpk: number,
    charge: Bind,
  ): Promise<Operation | undefined> => {
    const fee = Math.ceil((proofs.length * feePpk) / 1000);
    const change = sumOf(proofs) - fee;
    if (change <= 0) return undefined;
    const kept = await outputs.make(output, change, deadline());
    return write({ proofs, fee, change }, kept, undefined, charge);
  };

  /** Writes the send, or first a swap that merges proofs if the send needs too many. */
  const prepare = async (
    amount: number,
    memo: string | undefined,
    bind: Bind,
    charge: Bind,
  ): Promise<Operation> => {
    // Refuse before asking the mint.
    if (context.spendable() < amount) throw insufficient(amount);
    await context.requireMint();
    const { keysets, output } = await requireOutputKeyset(context);
    const selection = selectProofs(store, keysets, amount, clock.now());
    if (!selection) throw insufficient(amount);
    const most = inputLimit(store);
    if (selection.proofs.length > most) {
      const [first] = selection.proofs;
      const ofOne = selection.proofs.filter(({ id }) => id === first?.id).slice(0, most);
      const ppk = keysets.all.find(({ id }) => id === first?.id)?.inputFeePpk ?? 0;
      const merge = await writeMerge(ofOne, output, ppk, charge);
      if (!merge) throw insufficient(amount);
      return merge;
    }
    // Random outputs, so that a restore from words can't find sats that were sent.
    const sent = await mint.randomOutputs(output.id, splitAmount(output, amount));
    const kept = await outputs.make(output, selection.change, deadline());
    return write(selection, kept, { amount, memo, outputs: sent }, (written) => {
      charge(written);
      bind(written);
    });
  };

  return {
    async send(amount, memo, bind, charge = () => undefined) {
      const end = deadline();
      for (let tries = 1; ; ) {
        const written = await reselecting(() => prepare(amount, memo, bind, charge));
        const operation = await runInRequest(context, written);
        const { kind, state, failure } = operation;
        // The wallet now knows the spent proofs or the limit that made it fail.
        const mayRetry =
          state === 'failed' &&
          tries++ < (MOST_TRIES[failure?.code ?? 'internal'] ?? 0) &&
          clock.now() <= end;
        if (mayRetry) continue;
        if (kind === 'send') return operation;
        // The merge before the send didn't complete.
        if (state === 'pending') throw pendingError(operation);
        if (state === 'failed' && failure) throw failureError(failure);
        if (clock.now() > end) {
          throw new AppError('wallet_busy', 'The wallet is still merging small proofs. Try again.', {
            retryAfterSeconds: 1,
          });
        }
      }
    },

    async merge(keysetId, choose) {
      const { keysets, output } = await requireOutputKeyset(context);
      const ppk = keysets.all.find(({ id }) => id === keysetId)?.inputFeePpk;
      if (ppk === undefined) return undefined;
      const operation = await reselecting(async () => {
        const proofs = choose(inputLimit(store));
        return proofs.length === 0 ? undefined : writeMerge(proofs, output, ppk, () => undefined);
      });
      return operation && runInRequest(context, operation);
    },
  };
};
