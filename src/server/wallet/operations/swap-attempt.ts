import {
  type Keysets,
  type Mint,
  MintError,
  type MintLimit,
  type Proof,
  type SwapPlan,
  type SwapResult,
} from '../mint/mint.ts';
import type { Failure } from '../store/operation.ts';
import { mintFailure, PROOF_INVALID, refusalFailure, tokenFailure } from './problems.ts';

/** The outcome of one attempt to finish a swap. */
export type SwapOutcome =
  /** `replayed`: the mint may have done the swap earlier, so its proofs may be spent by now. */
  | { kind: 'completed'; result: SwapResult; replayed: boolean }
  | FailedSwap
  /** Refused for a reason that new outputs can avoid. The inputs are unspent. */
  | { kind: 'replan'; why: ReplanReason; keysets: Keysets; certainty: Certainty }
  /** Unknown: the mint gave no conclusive answer. */
  | { kind: 'unknown'; failure: Failure; retryAfterMs?: number }
  /**
   * The mint is still processing the swap, or returned only some signatures. `inTheEnd` is the outcome if
   * that never changes.
   */
  | { kind: 'in_flight'; failure: Failure; inTheEnd?: FailedSwap };

/** The mint did not do the swap. */
export interface FailedSwap {
  kind: 'failed';
  failure: Failure;
  certainty: Certainty;
  /** The inputs that somebody else spent. */
  spent?: string[];
  /** The inputs that the mint is processing for somebody else. */
  pending?: string[];
  /** Own inputs whose signature the mint calls invalid. */
  refused?: string[];
  /** The mint will never sign a request for these outputs. */
  unsigned?: boolean;
  /** The mint accepts fewer inputs or outputs. */
  limit?: MintLimit;
  /** The mint signed our outputs for another operation: somebody used the same counters. */
  collision?: boolean;
}

/** Why the swap needs new outputs. */
export type ReplanReason = 'outdated' | 'outputs' | 'collision';

/**
 * How certain an outcome is.
 *
 * - `final`: the mint answered the only request that was ever sent.
 * - `provisional`: an earlier request may still be on its way, or the mint may not have reported everything. The
 *   wallet must see the same outcome again before it counts.
 */
export type Certainty = 'final' | 'provisional';

/** Steps at which a crash test may kill the process. */
export type Step =
  | 'operation-written'
  | 'swap-answered'
  | 'states-known'
  | 'outputs-restored'
  | 'operation-completed'
  | 'operation-failed'
  | 'operation-replanned';

/** Called at each step. Only tests use it. */
export type OnStep = (step: Step) => void;

/** NUT error codes about outputs: already signed, pending, duplicate. */
const OUTPUT_CODES: readonly (number | undefined)[] = [11_003, 11_004, 11_008];

/**
 * The mint's fee for these inputs, in sat (NUT-02). Undefined if the mint doesn't list one of their keysets.
 */
export const feeOf = (
  proofs: readonly Pick<Proof, 'id'>[],
  { all }: Pick<Keysets, 'all'>,
): number | undefined => {
  const ppk = new Map(all.map((keyset) => [keyset.id, keyset.inputFeePpk]));
  let sum = 0;
  for (const { id } of proofs) {
    const fee = ppk.get(id);
    if (fee === undefined) return undefined;
    sum += fee;
  }
  return Math.ceil(sum / 1000);
};

const unknown = (error: MintError): SwapOutcome => ({
  kind: 'unknown',
  failure: {
    code: error.kind === 'unreachable' ? 'mint_unreachable' : 'redemption_pending',
    message: `${error.message} The wallet retries automatically.`,
  },
  ...(error.details.retryAfterMs === undefined ? {} : { retryAfterMs: error.details.retryAfterMs }),
});

const inFlight = (message: string, inTheEnd?: FailedSwap): SwapOutcome => ({
  kind: 'in_flight',
  failure: { code: 'redemption_pending', message },
  ...(inTheEnd ? { inTheEnd } : {}),
});

const PARTIAL_ANSWER = 'The mint returned only some of the signatures. The wallet will ask again.';

const asMintError = (error: unknown): MintError => {
  if (error instanceof MintError) return error;
  throw error;
};

/** Whether the mint retired the plan's keyset or changed the fee since the plan was created. */
const isOutdated = ({ keysetId, inputs }: SwapPlan, fee: number, keysets: Keysets): boolean => {
  const keyset = keysets.all.find(({ id }) => id === keysetId);
  return !keyset?.active || feeOf(inputs, keysets) !== fee;
};

/** The signatures that the mint has for a plan's outputs. */
interface Signed {
  /** How many outputs it signed, for any operation. */
  count: number;
  /** The plan's result, if the mint signed all outputs with the plan's amounts. */
  result: SwapResult | undefined;
  /**
   * Whether it signed all outputs, and some leave in a token. Those are random, so nobody else can have
   * requested them.
   */
  hasAllSent: boolean;
}

/** Asks the mint which outputs of a plan it signed (NUT-09). */
export const findSigned = async (mint: Mint, { keysetId, keep, send }: SwapPlan): Promise<Signed> => {
  const outputs = [...keep, ...send];
  const restored = await mint.restore(keysetId, outputs);
  const fitting = restored.flatMap((proof, index) =>
    proof && proof.amount === Number(outputs[index]?.blindedMessage.amount) ? [proof] : [],
  );
  const isWhole = fitting.length === outputs.length;
  return {
    count: restored.filter((proof) => proof !== null).length,
    result: isWhole ? { keep: fitting.slice(0, keep.length), send: fitting.slice(keep.length) } : undefined,
    hasAllSent: send.length > 0 && isWhole,
  };
};

/** Classifies a refusal while all inputs are unspent and none of our outputs is signed. */
const classifyRefusal = async (
  mint: Mint,
  plan: SwapPlan,
  fee: number,
  refusal: MintError,
  certainty: Certainty,
): Promise<SwapOutcome> => {
  const { mintCode, limit } = refusal.details;
  // A refusal without a protocol code may come from something between us and the mint.
  const unsigned = certainty === 'final' && mintCode !== undefined;
  if (mintCode === PROOF_INVALID) {
    return { kind: 'failed', failure: refusalFailure(refusal), certainty, unsigned };
  }
  if (limit) {
    return {
      kind: 'failed',
      failure: refusalFailure(refusal),
      certainty,
      unsigned: certainty === 'final',
      limit,
    };
  }
  const keysets = await mint.keysets(true);
  if (isOutdated(plan, fee, keysets)) return { kind: 'replan', why: 'outdated', keysets, certainty };
  if (OUTPUT_CODES.includes(mintCode)) return { kind: 'replan', why: 'outputs', keysets, certainty };
  return { kind: 'failed', failure: refusalFailure(refusal), certainty, unsigned };
};

/**
 * Finds the outcome of a swap that didn't succeed. It checks the inputs before the outputs, because the other
 * order misjudges a swap that lands in between.
 */
const classifyFailure = async (
  mint: Mint,
  plan: SwapPlan,
  fee: number,
  mayHaveBeenSent: boolean,
  swapError: MintError,
  onStep: OnStep,
): Promise<SwapOutcome> => {
  const ys = plan.inputs.map(({ y }) => y);
  const states = await mint.states(ys);
  onStep('states-known');
  const signed = await findSigned(mint, plan);
  onStep('outputs-restored');

  const certainty: Certainty = swapError.kind === 'refused' && !mayHaveBeenSent ? 'final' : 'provisional';
  const spent = ys.filter((_, index) => states[index] === 'SPENT');
  const isSpent = spent.length === ys.length;
  const failed = (more: Partial<FailedSwap> = {}): FailedSwap => ({
    kind: 'failed',
    failure: tokenFailure('spent'),
    certainty,
    spent,
    ...more,
  });

  if (isSpent && signed.result && (certainty === 'provisional' || signed.hasAllSent)) {
    return { kind: 'completed', result: signed.result, replayed: true };
  }
  // The mint refused the only request, so any signatures belong to another operation.
  if (certainty === 'final' && spent.length > 0) return failed({ collision: signed.count > 0 });
  // A mint signs a swap as a whole. If only a part stays signed, another copy of this wallet used the same
  // counters.
  if (isSpent) return signed.count > 0 ? inFlight(PARTIAL_ANSWER, failed({ collision: true })) : failed();
  if (signed.count > 0) {
    // Ask for the states again, because a swap of ours may have landed since.
    const now = certainty === 'final' ? states : await mint.states(ys);
    if (now.some((state) => state !== 'UNSPENT')) {
      return inFlight(PARTIAL_ANSWER, spent.length > 0 ? failed({ collision: true }) : undefined);
    }
    return { kind: 'replan', why: 'collision', keysets: await mint.keysets(false), certainty: 'final' };
  }
  if (states.includes('PENDING')) {
    // The mint refused the only request, so somebody else's payment holds the inputs.
    if (certainty === 'final') return { kind: 'failed', failure: tokenFailure('pending'), certainty };
    return inFlight('The mint is still processing this operation. The wallet will ask again.');
  }
  if (spent.length > 0) return failed();

  // All inputs are unspent and nothing is signed, so the swap didn't happen. Without a clear refusal, the
  // wallet can retry it.
  if (swapError.kind !== 'refused') return unknown(swapError);
  return classifyRefusal(mint, plan, fee, swapError, certainty);
};

/**
 * Sends the swap of a plan, or finds its outcome if an earlier request may have arrived.
 *
 * Repeats are harmless because the request never changes (docs/adr/0010). The states of inputs and outputs
 * decide the result, never the mint's error codes alone. `fee` is the fee that the plan expects.
 */
export const attemptSwap = async (
  mint: Mint,
  plan: SwapPlan,
  fee: number,
  mayHaveBeenSent: boolean,
  onStep: OnStep,
): Promise<SwapOutcome> => {
  let swapError: MintError;
  try {
    const result = await mint.swap(plan);
    onStep('swap-answered');
    return { kind: 'completed', result, replayed: mayHaveBeenSent };
  } catch (error) {
    swapError = asMintError(error);
  }
  if (swapError.kind === 'unreachable' || swapError.details.isUnsent) {
    return mayHaveBeenSent
      ? unknown(swapError)
      : { kind: 'failed', failure: mintFailure(swapError), certainty: 'final', unsigned: true };
  }
  // More requests would use up what the mint still allows.
  if (swapError.kind === 'limited') return unknown(swapError);
  try {
    return await classifyFailure(mint, plan, fee, mayHaveBeenSent, swapError, onStep);
  } catch (error) {
    return unknown(asMintError(error));
  }
};
