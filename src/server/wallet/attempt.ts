import { type Keysets, type Mint, MintError, type Proof, type SwapPlan, type SwapResult } from './mint.ts';
import type { Failure } from './operation.ts';
import { mintFailure, refusalFailure, tokenFailure } from './problems.ts';

/** What one attempt to finish a swap came to. */
export type Verdict =
  | { kind: 'completed'; result: SwapResult }
  /** Not done. `spent` are the inputs that somebody else spent. `unsigned`: no request for these outputs will ever be signed. */
  | { kind: 'failed'; failure: Failure; certainty: Certainty; spent?: string[]; unsigned?: boolean }
  /** Refused for its keyset or fee; the inputs are unspent, so other outputs may be tried. */
  | { kind: 'replan'; keysets: Keysets; certainty: Certainty }
  /** Nobody knows yet: the mint gave no answer that tells. */
  | { kind: 'unknown'; failure: Failure; retryAfterMs?: number }
  /** The mint is at work on it, or has told a part: it may well be done. */
  | { kind: 'underway'; failure: Failure };

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

/** What the mint keeps of inputs of these keysets (NUT-02); undefined when it does not list one of them. */
export const feeOf = (proofs: readonly Pick<Proof, 'id'>[], { all }: Keysets): number | undefined => {
  const ppk = new Map(all.map((keyset) => [keyset.id, keyset.inputFeePpk]));
  let sum = 0;
  for (const { id } of proofs) {
    const fee = ppk.get(id);
    if (fee === undefined) return undefined;
    sum += fee;
  }
  return Math.ceil(sum / 1000);
};

const unknown = (error: MintError): Verdict => ({
  kind: 'unknown',
  failure: {
    code: error.kind === 'unreachable' ? 'mint_unreachable' : 'redemption_pending',
    message: `${error.message} The wallet asks again by itself.`,
  },
  ...(error.details.retryAfterMs === undefined ? {} : { retryAfterMs: error.details.retryAfterMs }),
});

const notYet = (message: string): Verdict => ({
  kind: 'underway',
  failure: { code: 'redemption_pending', message },
});

const asMintError = (error: unknown): MintError => {
  if (error instanceof MintError) return error;
  throw error;
};

/** Whether a refusal is about what has changed at the mint since the plan was made. */
const isOutdated = ({ keysetId, inputs }: SwapPlan, fee: number, keysets: Keysets): boolean => {
  const keyset = keysets.all.find(({ id }) => id === keysetId);
  return !keyset?.active || feeOf(inputs, keysets) !== fee;
};

/** What to think of a swap that did not succeed. First the inputs, then the outputs: the other order misjudges a swap that lands between. */
const judge = async (
  mint: Mint,
  plan: SwapPlan,
  fee: number,
  mayHaveBeenSent: boolean,
  swapError: MintError,
  onStep: OnStep,
): Promise<Verdict> => {
  const outputs = [...plan.keep, ...plan.send];
  const ys = plan.inputs.map(({ y }) => y);
  const states = await mint.states(ys);
  onStep('states-known');
  const restored = await mint.restore(plan.keysetId, outputs);
  onStep('outputs-restored');

  const certainty: Certainty = swapError.kind === 'refused' && !mayHaveBeenSent ? 'final' : 'found';
  const spent = ys.filter((_, index) => states[index] === 'SPENT');
  const found = restored.filter((proof) => proof !== null);
  if (spent.length === ys.length && found.length === outputs.length) {
    const keep = found.slice(0, plan.keep.length);
    return { kind: 'completed', result: { keep, send: found.slice(plan.keep.length) } };
  }
  if (found.length > 0)
    return notYet('The mint has told a part of the signatures only; the wallet asks again.');
  if (spent.length === ys.length) return { kind: 'failed', failure: tokenFailure('spent'), spent, certainty };
  if (states.includes('PENDING')) {
    // Refused at once, and nothing of ours is under way: somebody else's payment holds them.
    if (certainty === 'final') return { kind: 'failed', failure: tokenFailure('pending'), certainty };
    return notYet('The mint is still at work on it; the wallet asks again.');
  }
  if (spent.length > 0) return { kind: 'failed', failure: tokenFailure('spent'), spent, certainty };

  // All unspent and nothing signed: the swap has not happened. Without a definite no it may simply be made again.
  if (swapError.kind !== 'refused') return unknown(swapError);
  const keysets = await mint.keysets(true);
  if (isOutdated(plan, fee, keysets)) return { kind: 'replan', keysets, certainty };
  // A refusal without a code of the protocol may come from something between us and the mint.
  const unsigned = certainty === 'final' && swapError.details.mintCode !== undefined;
  return { kind: 'failed', failure: refusalFailure(swapError), certainty, unsigned };
};

/**
 * Makes the swap of a plan, or finds out what became of it when it may have been made before.
 *
 * Always the same request, so that it can do no harm however often it is made (wallet.md, "Recovery"). The mint's error codes
 * decide nothing; the states of inputs and outputs do. `fee` is what the plan reckons with.
 */
export const attemptSwap = async (
  mint: Mint,
  plan: SwapPlan,
  fee: number,
  mayHaveBeenSent: boolean,
  onStep: OnStep,
): Promise<Verdict> => {
  let swapError: MintError;
  try {
    const result = await mint.swap(plan);
    onStep('swap-answered');
    return { kind: 'completed', result };
  } catch (error) {
    swapError = asMintError(error);
  }
  if (swapError.kind === 'unreachable') {
    return mayHaveBeenSent
      ? unknown(swapError)
      : { kind: 'failed', failure: mintFailure(swapError), certainty: 'final', unsigned: true };
  }
  try {
    return await judge(mint, plan, fee, mayHaveBeenSent, swapError, onStep);
  } catch (error) {
    return unknown(asMintError(error));
  }
};
