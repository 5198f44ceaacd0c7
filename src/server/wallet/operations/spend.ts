import { AppError } from '../../platform/app-error.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';
import type { Keysets, Output, OutputKeyset } from '../mint/mint.ts';
import { startOfDay } from '../store/key-operations-table.ts';
import {
  failureError,
  type OnOperationWritten,
  type Operation,
  type PendingOperation,
  sumOf,
} from '../store/operation.ts';
import { type FreeProof, ProofsTakenError } from '../store/proofs-table.ts';
import type { RefusalReason } from './decide.ts';
import { type KeptOutputs, splitAmount } from './outputs.ts';
import { belowFeeError, feeTooHighFailure, pendingError, worthlessError } from './problems.ts';
import { inputLimit, smallerThan } from './read-token.ts';
import { requireOutputKeyset, runInRequest, type WalletContext } from './receive.ts';
import type { RunResult } from './runner.ts';
import { type Selection, selectProofs } from './selection.ts';

/** A send. Amounts in sats. */
export interface SendRequest {
  amount: number;
  /** True if the fee comes out of the amount, and sats owed to customers can be used. */
  isChange?: boolean;
  memo?: string | undefined;
  /**
   * The most that the mint can charge in fees, for the send and the swaps before it. Defaults to {@link
   * defaultMaxFee}.
   */
  maxFee?: number | undefined;
  /** Called in the transaction that writes the send. Nothing is written if it throws. */
  bind: OnOperationWritten;
  /** Called in the transactions of the send and of each swap before it, to count them for a limit. */
  charge?: OnOperationWritten | undefined;
}

/** Spends the wallet's own proofs. */
export interface Spender {
  /** Creates a token from the balance. Throws `fee_too_high` and `amount_below_fee` before anything is written. */
  send(request: SendRequest): Promise<Operation>;
  /** Swaps proofs for fewer, larger ones of the current keyset. Returns undefined if nothing would be left. */
  merge(keysetId: string, choose: (most: number) => FreeProof[]): Promise<RunResult | undefined>;
  /**
   * Swaps proofs that the mint refused, those of each keyset together. Returns the sets that it refused again, which stay
   * unconfirmed. Sets that aren't worth their fee stay unconfirmed too, and wait for company.
   */
  trySwap(ys: readonly string[]): Promise<string[][]>;
  /** Swaps one proof for itself. Resolves with false if there is none that is worth its fee, or if the swap didn't end. */
  signNewCounters(): Promise<boolean>;
}

/**
 * How many times to try a send if the mint doesn't report its proofs as unspent, refused its size, or raised its fee.
 * Other proofs may still cover it.
 */
const MOST_TRIES: Partial<Record<RefusalReason, number>> = {
  inputs_spent: 4,
  inputs_pending: 8,
  inputs_refused: 8,
  too_large: 12,
  fee_too_high: 2,
};

/** Returns a send's default maximum fee: a tenth of the amount, but at least 100 sat. */
const defaultMaxFee = (amount: number): number => Math.max(Math.floor(amount / 10), 100);

/** Returns the fee, in sats, for swapping a token of this amount that has one proof for each power of two. */
export const feeOfToken = (
  amount: number,
  { all, output }: Pick<Keysets, 'all'> & { output: { id: string } | undefined },
): number => {
  const ppk = all.find(({ id }) => id === output?.id)?.inputFeePpk ?? 0;
  return Math.ceil((amount.toString(2).replaceAll('0', '').length * ppk) / 1000);
};

/** How many times to select. Each time after the first replaces proofs that turned out to be spent. */
const MOST_SELECTIONS = 10;

/** The results of a send's earlier attempts. */
interface SendProgress {
  /** The fees of the swaps before the send, in sats. */
  paid: number;
  /** The most inputs per swap, at a mint that refused more without stating its limit. */
  mostInputs: number;
}

export const createSpender = (context: WalletContext): Spender => {
  const { store, mint, outputs, proofChecks, clock, onStep, onChange } = context;
  /** Selecting and reserving proofs is one step, so that two sends never select the same ones. */
  const lock = createKeyedLock();

  const write = (
    { proofs, fee, change }: Omit<Selection, 'amount'>,
    kept: KeptOutputs,
    sent: { amount: number; memo?: string | undefined; outputs: Output[] } | undefined,
    feeMax: number,
    bind: OnOperationWritten,
    from?: 'unconfirmed',
  ): PendingOperation => {
    const ys = proofs.map(({ y }) => y);
    const { counters } = kept;
    try {
      const operation = store.transaction(() => {
        const written = store.operations.add({
          kind: sent ? 'send' : 'swap',
          amount: sent?.amount ?? change,
          fee,
          memo: sent?.memo,
          plan: {
            keysetId: kept.keysetId,
            inputs: store.proofs.get(ys),
            keep: kept.outputs,
            send: sent?.outputs ?? [],
            ...(counters ? { counters } : {}),
            feeMax,
          },
        });
        store.proofs.hold(written.number, ys, from && [from]);
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
   * Selects again if a check finds selected proofs spent while their outputs are created. The other proofs may still
   * cover the amount.
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
            'The wallet is checking its proofs. Try again in a moment.',
            { retryAfterSeconds: 1 },
            error,
          );
      }
    }
  };

  const deadline = () => clock.now() + context.requestDeadlineMs;

  const insufficient = (amount: number, owed: number) => {
    const unlisted = context.unlisted();
    const incoming = store.postings.sum('incoming');
    if (incoming > 0 && context.spendable() + unlisted + incoming - owed >= amount)
      return new AppError(
        'wallet_busy',
        `The wallet can spend ${context.spendable() - owed} sat now, and ${incoming} sat more when its pending operations end. Try again in a moment.`,
        { retryAfterSeconds: 5 },
      );
    const unconfirmed = store.postings.sum('unconfirmed');
    const rest = [
      unlisted > 0 ? `${unlisted} sat are in keysets that the mint no longer lists. ` : '',
      unconfirmed > 0 ? `The mint doesn’t currently confirm that ${unconfirmed} sat are unspent. ` : '',
      owed > 0 ? `The wallet holds ${owed} sat for customers. ` : '',
    ].join('');
    return new AppError(
      'insufficient_funds',
      `The wallet can spend ${Math.max(0, context.spendable() - owed)} sat, which doesn’t cover ${amount} sat plus the mint’s fee. ${rest}Receive more sats, or send less.`,
    );
  };

  /** Writes a swap of chosen proofs for the smallest number that their sum needs. */
  const writeMerge = async (
    proofs: FreeProof[],
    output: OutputKeyset,
    feePpk: number,
    charge: OnOperationWritten,
    from?: 'unconfirmed',
  ): Promise<PendingOperation | undefined> => {
    const fee = Math.ceil((proofs.length * feePpk) / 1000);
    const change = sumOf(proofs) - fee;
    if (change <= 0) return undefined;
    const kept = await outputs.make(output, change, deadline(), true);
    // No caller set a maximum fee for this swap alone.
    return write({ proofs, fee, change }, kept, undefined, fee, charge, from);
  };

  /** Writes the send, or first a swap that merges proofs if the send needs too many. */
  const prepare = async (
    { amount, isChange = false, memo, maxFee, bind, charge }: SendRequest,
    { paid, mostInputs }: SendProgress,
  ): Promise<PendingOperation> => {
    // The customer doesn't pay for the swaps before a send that returns change.
    const feeLeft = isChange ? amount : (maxFee ?? defaultMaxFee(amount)) - paid;
    const owed = isChange ? 0 : store.charges.owed();
    // Refuse before contacting the mint, which may list a keyset again.
    if (context.spendable() + context.unlisted() - owed < amount) throw insufficient(amount, owed);
    await context.requireMint();
    let listed = await requireOutputKeyset(context);
    const select = (): Selection => {
      const selection = selectProofs(store, listed.keysets, amount, clock.now(), isChange);
      if (!selection || (owed > 0 && context.spendable() - owed < amount + selection.fee))
        throw insufficient(amount, owed);
      return selection;
    };
    /** Returns the fee of swapping the token, which its receiver pays. */
    const feeOfSwap = ({ amount: left }: Selection): number =>
      left > 0 ? feeOfToken(left, { all: listed.keysets.all, output: listed.output }) : 0;
    let selection = select();
    // The mint may have lowered its fee since the last request.
    if (selection.fee > feeLeft || selection.amount <= feeOfSwap(selection)) {
      listed = await requireOutputKeyset(context, await mint.keysets(true));
      selection = select();
    }
    const { keysets, output } = listed;
    const { fee } = selection;
    if (fee > feeLeft)
      throw isChange
        ? belowFeeError(amount, fee)
        : failureError(feeTooHighFailure(fee + paid, feeLeft + paid));
    const lost = feeOfSwap(selection);
    if (selection.amount <= lost)
      throw isChange ? belowFeeError(amount, fee + lost) : worthlessError(amount, lost);
    const most = Math.min(mostInputs, inputLimit(store));
    if (selection.proofs.length > most) {
      const [first] = selection.proofs;
      const ofOne = selection.proofs.filter(({ id }) => id === first?.id).slice(0, most);
      const ppk = keysets.all.find(({ id }) => id === first?.id)?.inputFeePpk ?? 0;
      const merge = await writeMerge(ofOne, output, ppk, charge ?? (() => undefined));
      if (!merge) throw insufficient(amount, owed);
      return merge;
    }
    // A key's limit reserves the maximum fee, so an unneeded margin would block the key's other sends.
    const feeMax = charge && maxFee === undefined ? fee : feeLeft;
    // The outputs are random, so that a restore from words can't find sats that were sent.
    const sent = await mint.randomOutputs(output.id, splitAmount(output, selection.amount));
    const kept = await outputs.make(output, selection.change, deadline(), true);
    return write(selection, kept, { amount: selection.amount, memo, outputs: sent }, feeMax, (written) => {
      charge?.(written);
      bind(written);
    });
  };

  return {
    async send(request) {
      const end = deadline();
      const progress: SendProgress = { paid: 0, mostInputs: Number.POSITIVE_INFINITY };
      for (let tries = 1; ; ) {
        const written = await reselecting(() => prepare(request, progress));
        const { operation, refusal } = await runInRequest(context, written);
        const { kind } = operation;
        // The wallet now knows which spent proofs or which limit made the operation fail.
        const mayRetry = refusal !== undefined && tries++ < (MOST_TRIES[refusal] ?? 0) && clock.now() <= end;
        if (refusal === 'too_large') progress.mostInputs = smallerThan(operation);
        // If the mint is still processing one proof, it may be processing others as well. Without a response, the
        // next try finds out.
        if (mayRetry && refusal === 'inputs_pending') await proofChecks.checkFree().catch(() => undefined);
        if (mayRetry) continue;
        if (kind === 'send') return operation;
        // The swap before the send didn't complete.
        if (operation.state === 'pending') throw pendingError(operation);
        if (operation.state === 'failed') throw failureError(operation.failure);
        progress.paid += operation.fee;
        if (clock.now() > end) {
          throw new AppError(
            'wallet_busy',
            'The wallet is still merging small proofs. Try again in a moment.',
            {
              retryAfterSeconds: 1,
            },
          );
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

    async signNewCounters() {
      const { keysets, output } = await requireOutputKeyset(context);
      const ppk = keysets.all.find(({ id }) => id === output.id)?.inputFeePpk;
      if (ppk === undefined) return false;
      const operation = await reselecting(async () => {
        const [proof] = store.proofs.smallest(output.id, Math.ceil(ppk / 1_000), 1);
        return proof && writeMerge([proof], output, ppk, () => undefined);
      });
      return (
        operation !== undefined && (await runInRequest(context, operation)).operation.state === 'completed'
      );
    },

    async trySwap(ys) {
      const { keysets, output } = await requireOutputKeyset(context);
      const refused: string[][] = [];
      for (const { id, inputFeePpk } of keysets.all) {
        const ofKeyset = store.proofs.get(ys).filter((proof) => proof.id === id);
        for (let start = 0; start < ofKeyset.length; start += inputLimit(store)) {
          const part = ofKeyset.slice(start, start + inputLimit(store));
          const operation = await lock
            .run('proofs', () => writeMerge(part, output, inputFeePpk, () => undefined, 'unconfirmed'))
            .catch((error: unknown) => {
              if (error instanceof ProofsTakenError) return undefined;
              throw error;
            });
          if (!operation) continue;
          const { refusal } = await runInRequest(context, operation);
          if (refusal === 'inputs_refused') refused.push(part.map(({ y }) => y));
        }
      }
      return refused;
    },
  };
};

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
