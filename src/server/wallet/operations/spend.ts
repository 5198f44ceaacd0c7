import type { ErrorCode } from '../../../shared/api/errors.ts';
import { AppError } from '../../platform/app-error.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';
import type { Output } from '../mint/mint.ts';
import { type Bind, failureError, type Operation } from '../store/operation.ts';
import { type FreeProof, ProofsTakenError } from '../store/proofs-table.ts';
import { type KeptOutputs, splitAmount } from './outputs.ts';
import { pendingError } from './problems.ts';
import { requireOutputKeyset, runInRequest, type WalletContext } from './receive.ts';
import { type Selection, selectProofs } from './selection.ts';

/** Uses the wallet's own proofs. */
export interface Spender {
  /** Takes sats out as a token. */
  send(amount: number, memo: string | undefined, bind: Bind): Promise<Operation>;
  /** Swaps proofs for fewer, larger ones of the current keyset. Returns undefined where nothing would be left. */
  merge(keysetId: string, choose: (most: number) => FreeProof[]): Promise<Operation | undefined>;
}

/** Where the mint said nothing of its own: what Nutshell and cdk take. */
const MOST_INPUTS = 1_000;

/** A limit below this is only believed when the mint names it: a strange token must not shrink every later send. */
const FEWEST_UNNAMED = 50;
const FEWEST_INPUTS = 2;

const INPUT_LIMIT = 'most_inputs';

/** A send is tried so often with proofs that another copy of this wallet did not spend, or below the mint's limit. */
const MOST_TRIES: Partial<Record<ErrorCode, number>> = { already_spent: 4, token_too_large: 12 };

/** The most inputs that the mint takes in one swap, as far as it said so. */
export const inputLimit = (store: Pick<WalletContext['store'], 'metadata'>): number =>
  Number(store.metadata(INPUT_LIMIT) ?? MOST_INPUTS);

/** Each selection after the first is for proofs that turned out to be spent. */
const MOST_SELECTIONS = 10;

/** Remembers that the mint refused so many inputs; `named` is the limit it named. */
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

/** Makes a {@link Spender}. */
export const createSpender = (engine: WalletContext): Spender => {
  const { store, mint, outputs, clock, onStep, onChange } = engine;
  /** Selecting and holding proofs is one step: two sends must not select the same. */
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

  /** A check can find selected proofs spent while their outputs are made. The rest of the wallet may still cover it. */
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

  const deadline = () => clock.now() + engine.requestDeadlineMs;

  const insufficient = (amount: number) =>
    new AppError(
      'insufficient_funds',
      `The wallet can spend ${engine.spendable()} sat, which does not cover ${amount} sat plus the mint's fee. Receive more sats, or send less.`,
    );

  /** Swaps chosen proofs for as few as their sum needs. */
  const writeMerge = async (
    proofs: FreeProof[],
    outputId: string,
    feePpk: number,
  ): Promise<Operation | undefined> => {
    const fee = Math.ceil((proofs.length * feePpk) / 1000);
    const change = proofs.reduce((total, { amount }) => total + amount, 0) - fee;
    if (change <= 0) return undefined;
    const kept = await outputs.make(outputId, change, deadline());
    return write({ proofs, fee, change }, kept, undefined, () => undefined);
  };

  /** The send, written; or a swap that first makes few proofs of the many it would need. */
  const prepare = async (amount: number, memo: string | undefined, bind: Bind): Promise<Operation> => {
    // Said before the mint is asked.
    if (engine.spendable() < amount) throw insufficient(amount);
    await engine.requireMint();
    const { keysets, outputId } = await requireOutputKeyset(engine);
    const selection = selectProofs(store, keysets, amount, clock.now());
    if (!selection) throw insufficient(amount);
    const most = inputLimit(store);
    if (selection.proofs.length > most) {
      const [first] = selection.proofs;
      const ofOne = selection.proofs.filter(({ id }) => id === first?.id).slice(0, most);
      const ppk = keysets.all.find(({ id }) => id === first?.id)?.inputFeePpk ?? 0;
      const merge = await writeMerge(ofOne, outputId, ppk);
      if (!merge) throw insufficient(amount);
      return merge;
    }
    // Random: a restore from words must not bring back sats that were handed out.
    const sent = await mint.randomOutputs(outputId, await splitAmount(mint, outputId, amount));
    const kept = await outputs.make(outputId, selection.change, deadline());
    return write(selection, kept, { amount, memo, outputs: sent }, bind);
  };

  return {
    async send(amount, memo, bind) {
      const end = deadline();
      for (let tries = 1; ; ) {
        const written = await reselecting(() => prepare(amount, memo, bind));
        const operation = await runInRequest(engine, written);
        const { kind, state, failure } = operation;
        // The proofs or the limit that it failed for are known now.
        const mayRetry =
          state === 'failed' &&
          tries++ < (MOST_TRIES[failure?.code ?? 'internal'] ?? 0) &&
          clock.now() <= end;
        if (mayRetry) continue;
        if (kind === 'send') return operation;
        // The swap before it did not end well.
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
      const { keysets, outputId } = await requireOutputKeyset(engine);
      const ppk = keysets.all.find(({ id }) => id === keysetId)?.inputFeePpk;
      if (ppk === undefined) return undefined;
      const operation = await reselecting(async () => {
        const proofs = choose(inputLimit(store));
        return proofs.length === 0 ? undefined : writeMerge(proofs, outputId, ppk);
      });
      return operation && runInRequest(engine, operation);
    },
  };
};
