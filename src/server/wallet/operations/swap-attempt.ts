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

/** What one attempt to finish a swap came to. */
export type SwapOutcome =
  /** `replayed`: the mint may have done it a while ago, so its proofs may have been spent since. */
  | { kind: 'completed'; result: SwapResult; replayed: boolean }
  | FailedSwap
  /** Refused for something other outputs can avoid; the inputs are unspent. */
  | { kind: 'replan'; why: ReplanReason; keysets: Keysets; certainty: Certainty }
  /** Nobody knows yet: the mint gave no answer that tells. */
  | { kind: 'unknown'; failure: Failure; retryAfterMs?: number }
  /** The mint is at work on it, or has told a part: it may well be done. `inTheEnd` is what it comes to if that never changes. */
  | { kind: 'underway'; failure: Failure; inTheEnd?: FailedSwap };

/** Not done. */
export interface FailedSwap {
  kind: 'failed';
  failure: Failure;
  certainty: Certainty;
  /** The inputs that somebody else spent. */
  spent?: string[];
  /** No request for these outputs will ever be signed. */
  unsigned?: boolean;
  /** The mint accepts fewer inputs or outputs. */
  limit?: MintLimit;
  /** The mint has signed our outputs, though not for this operation: somebody used the same counters. */
  collision?: boolean;
}

/**
 * Why other outputs are needed.
 *
 * - `outdated`: the keyset is no longer active, or its fee changed.
 * - `outputs`: the mint refused the outputs themselves.
 * - `collision`: the mint signed these outputs for another operation (docs/adr/0016).
 */
export type ReplanReason = 'outdated' | 'outputs' | 'collision';

/**
 * How sure a finding is. `final`: the mint answered the only request that was ever made. `found`: so it looks, while an earlier
 * request may still be on its way, or the mint may not have told all; to be found again before it counts.
 */
export type Certainty = 'final' | 'found';

/** Steps at which a crash test may kill the process. */
export type Step =
  | 'operation-written'
  | 'swap-answered'
  | 'states-known'
  | 'outputs-restored'
  | 'operation-completed'
  | 'operation-failed'
  | 'operation-replanned';

/** Called at each step; only tests do something there. */
export type OnStep = (step: Step) => void;

/** NUT error codes about outputs: already signed, pending, duplicate. */
const OUTPUT_CODES: readonly (number | undefined)[] = [11_003, 11_004, 11_008];

/** What the mint keeps of inputs of these keysets (NUT-02); undefined when it does not list one of them. */
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
  kind: 'underway',
  failure: { code: 'redemption_pending', message },
  ...(inTheEnd ? { inTheEnd } : {}),
});

const PARTIAL_ANSWER = 'The mint returned only some of the signatures. The wallet will ask again.';

const asMintError = (error: unknown): MintError => {
  if (error instanceof MintError) return error;
  throw error;
};

/** Whether a refusal is about what has changed at the mint since the plan was made. */
const isOutdated = ({ keysetId, inputs }: SwapPlan, fee: number, keysets: Keysets): boolean => {
  const keyset = keysets.all.find(({ id }) => id === keysetId);
  return !keyset?.active || feeOf(inputs, keysets) !== fee;
};

/** What the mint has signed of a plan's outputs. */
interface Signed {
  /** How many it signed, whatever for. */
  count: number;
  /** The plan's result, when it signed all of them with the amounts of the plan. */
  result: SwapResult | undefined;
  /** It signed all of the outputs that leave. Those are random, so nobody else can have asked for them. */
  hasAllSent: boolean;
}

/** Asks what the mint signed of the outputs of a plan. */
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

/** A refusal while all inputs are unspent, and nothing of ours is signed. */
const classifyRefusal = async (
  mint: Mint,
  plan: SwapPlan,
  fee: number,
  refusal: MintError,
  certainty: Certainty,
): Promise<SwapOutcome> => {
  const { mintCode, limit } = refusal.details;
  // A refusal without a code of the protocol may come from something between us and the mint.
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
 * What to think of a swap that did not succeed. First the inputs, then the outputs: the other order misjudges a swap that lands
 * between the two.
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

  const certainty: Certainty = swapError.kind === 'refused' && !mayHaveBeenSent ? 'final' : 'found';
  const spent = ys.filter((_, index) => states[index] === 'SPENT');
  const isSpent = spent.length === ys.length;
  const failed = (more: Partial<FailedSwap> = {}): FailedSwap => ({
    kind: 'failed',
    failure: tokenFailure('spent'),
    certainty,
    spent,
    ...more,
  });

  if (isSpent && signed.result && (certainty === 'found' || signed.hasAllSent)) {
    return { kind: 'completed', result: signed.result, replayed: true };
  }
  // The only request was refused, so whatever the mint signed, it did not sign it for this operation.
  if (certainty === 'final' && spent.length > 0) return failed({ collision: signed.count > 0 });
  // A swap is signed whole. What stays a part was signed for another copy of this wallet, which used the same counters.
  if (isSpent) return signed.count > 0 ? inFlight(PARTIAL_ANSWER, failed({ collision: true })) : failed();
  if (signed.count > 0) {
    // Not the states of before: a swap of ours may have landed since.
    const now = certainty === 'final' ? states : await mint.states(ys);
    if (now.some((state) => state !== 'UNSPENT')) {
      return inFlight(PARTIAL_ANSWER, spent.length > 0 ? failed({ collision: true }) : undefined);
    }
    return { kind: 'replan', why: 'collision', keysets: await mint.keysets(false), certainty: 'final' };
  }
  if (states.includes('PENDING')) {
    // Refused at once, and nothing of ours is under way: somebody else's payment holds them.
    if (certainty === 'final') return { kind: 'failed', failure: tokenFailure('pending'), certainty };
    return inFlight('The mint is still processing this operation. The wallet will ask again.');
  }
  if (spent.length > 0) return failed();

  // All unspent and nothing signed: the swap has not happened. Without a definite no it may simply be made again.
  if (swapError.kind !== 'refused') return unknown(swapError);
  return classifyRefusal(mint, plan, fee, swapError, certainty);
};

/**
 * Makes the swap of a plan, or finds its outcome if it may have been made before.
 *
 * Repeats are harmless because the request never changes (docs/adr/0010). The states of inputs and outputs decide the result, never
 * the mint's error codes alone. `fee` is the fee that the plan expects.
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
  if (swapError.kind === 'unreachable') {
    return mayHaveBeenSent
      ? unknown(swapError)
      : { kind: 'failed', failure: mintFailure(swapError), certainty: 'final', unsigned: true };
  }
  // Asking further would use up what the mint still allows.
  if (swapError.kind === 'limited') return unknown(swapError);
  try {
    return await classifyFailure(mint, plan, fee, mayHaveBeenSent, swapError, onStep);
  } catch (error) {
    return unknown(asMintError(error));
  }
};
