import type { Clock } from '../../platform/clock.ts';
import {
  isProtocolCode,
  type Keysets,
  type Mint,
  MintError,
  type MintLimit,
  type OutputKeyset,
  type Proof,
  type ProofState,
  type SwapPlan,
  type SwapResult,
} from '../mint/mint.ts';
import { sumOf } from '../store/operation.ts';
import { feeOf } from './selection.ts';

/**
 * A request that must not take effect twice. It never changes, so the wallet can repeat it (docs/adr/0016).
 *
 * This is a union by endpoint. A mint or a melt (NUT-04, NUT-05) would be another member, with its quote in the {@link
 * Evidence}.
 */
export type Exchange = SwapExchange;

/** A swap (NUT-03). Times in milliseconds since 1970. */
export interface SwapExchange extends SwapPlan {
  endpoint: 'swap';
  /** The mint's fee that the outputs allow for, in sats. */
  fee: number;
  /** True if the inputs are the wallet's own proofs, false for an outside token's. */
  isOwn: boolean;
  /** True if the inputs don't belong together, so that the wallet can swap them separately. */
  isLoose?: boolean;
  earlier: Earlier;
  createdAt: number;
  /** When checks with the mint began to yield the same provisional decision. */
  looksFinishedSince: number | undefined;
}

/**
 * How earlier requests of an exchange ended. A proxy between us and the mint may repeat a request, so even a
 * refused one may have been carried out.
 *
 * - `none`: there was none.
 * - `refused`: the mint refused each with a protocol code.
 * - `unanswered`: at least one may have been carried out without our knowledge.
 */
export type Earlier = 'none' | 'refused' | 'unanswered';

/** How the last request ended. */
export type Response =
  | { kind: 'done'; result: SwapResult }
  /** Nothing can have been sent. */
  | { kind: 'unsent'; error: MintError }
  | { kind: 'limited' | 'unanswered' | 'invalid'; error: MintError }
  | Refusal;

/** The mint refused, with a protocol code or with a reason in its own words. */
type Refusal = { kind: 'refused'; error: MintError } & (
  | { about: 'inputs' | 'outputs' | 'other' }
  /** The mint accepts fewer inputs or outputs. */
  | { about: 'size'; limit: MintLimit }
);

/** The wallet's knowledge about an exchange. Every field after `response` is missing until the wallet fetches it. */
export interface Evidence {
  /** Milliseconds since 1970. */
  now: number;
  response: Response;
  /** The states of the inputs, fetched after the request. */
  inputs?: readonly ProofState[];
  /** The proofs of outputs that the mint signed for any operation, and null for the others. */
  signed?: readonly (Proof | null)[];
  /** The states of the inputs, fetched again after `signed`. */
  inputsAgain?: readonly ProofState[];
  keysets?: Keysets;
  /** Why the last request got no usable response. */
  unread?: MintError;
}

/**
 * A decision's certainty. The wallet saw the same evidence twice, some seconds apart.
 *
 * - `final`: the mint refused every request with a protocol code, all inputs are unspent, and no output is signed. Or
 *   nothing was ever sent.
 * - `provisional`: a request may still be in transit, or the mint may not have reported everything. The wallet checks
 *   again for some days.
 */
type Certainty = 'final' | 'provisional';

/** The mint carried out the exchange. */
interface Done {
  kind: 'done';
  result: SwapResult;
  /** True if the mint may have carried it out earlier, so that its proofs may be spent by now. */
  isReplayed: boolean;
}

/** Why an exchange ends without effect. */
export type RefusalReason = Refused['why'];

/** The mint didn't carry out the exchange. */
export type Refused = RefusedFacts &
  (
    | { why: 'never_sent' | 'inputs_refused' | 'mint_refused'; error: MintError }
    | { why: 'too_large'; error: MintError; limit: MintLimit }
    | { why: 'inputs_spent' | 'inputs_pending' }
    /** New outputs are needed and can't be made. Fees in sats. */
    | { why: 'keyset_unlisted' | 'no_active_keyset' | 'below_fee' | 'rewritten_too_often' }
    | { why: 'fee_too_high'; fee: number; feeMax: number }
  );

/** What every refusal includes. */
interface RefusedFacts {
  kind: 'refused';
  certainty: Certainty;
  /** The Ys of the inputs that someone else spent. */
  spent?: readonly string[];
  /** The Ys of our proofs that another request holds. */
  pending?: readonly string[];
  /** The Ys of our proofs that the mint calls invalid. */
  refused?: readonly string[];
  /** True if the mint will never sign a request for these outputs. */
  unsigned?: boolean;
  /** True if the mint signed our outputs for another operation, which used the same counters. */
  collision?: boolean;
}

/** Why an exchange needs new outputs. */
export type RewriteReason = 'keyset_outdated' | 'outputs_refused' | 'collision';

/** The inputs are unspent, and new outputs can succeed. Amounts in sats. */
export interface Rewrite {
  kind: 'rewrite';
  why: RewriteReason;
  /** The keyset of the new outputs. */
  output: OutputKeyset;
  fee: number;
  kept: number;
  sent: number;
}

/** Why an exchange continues. */
export type WaitReason = Wait['why'];

/** Nothing is certain yet, so the wallet checks again. */
export type Wait = {
  kind: 'wait';
  /** The exchange's next `looksFinishedSince`. */
  looksFinishedSince: number | undefined;
} & (
  | SilentWait
  /** The inputs are pending at the mint. */
  | { why: 'mint_working'; until: UntilMint }
  /** The mint signed only some outputs, or didn't report all signatures. */
  | { why: 'partly_signed'; until: UntilMint | UntilTime }
  /** The exchange looks refused, and a second check must confirm that. */
  | { why: 'confirming'; until: UntilTime }
);

/** There was no usable response to the request. */
interface SilentWait {
  why: SilenceReason;
  error: MintError;
  until: UntilResponse;
}

/** Why there is no usable response. */
type SilenceReason =
  | 'mint_unreachable'
  | 'mint_unanswered'
  | 'mint_limited'
  | 'answer_invalid'
  | 'question_refused';

/** The wallet sends another request, in `retryAfterMs` at the earliest. */
interface UntilResponse {
  by: 'answer';
  retryAfterMs?: number;
}

/** When the decision changes if nothing else changes it, in milliseconds since 1970. */
interface UntilTime {
  by: 'time';
  at: number;
}

/** Only the mint, or a person who releases the operation, can end the wait. */
interface UntilMint {
  by: 'mint';
}

/** The next step of an exchange. */
export type Decision = Done | Refused | Rewrite | Wait;

/** Evidence that a decision still needs. */
export type Question =
  | { kind: 'ask'; about: 'inputs' | 'signed' | 'inputsAgain' }
  | { kind: 'ask'; about: 'keysets'; refresh: boolean };

/** How long {@link Decision}s wait, in ms. */
export interface DecisionTimes {
  /** How long an exchange must look refused before that counts, if the mint's answer and the states agree. */
  confirmAfterMs: number;
  /** How long our proofs must stay pending after a refusal, before an operation gives up and uses others. */
  giveUpPendingAfterMs: number;
  /** The same as `confirmAfterMs` without such an answer. A request without a response may still arrive. */
  confirmSilentAfterMs: number;
  /** How long a mint that returned only some signatures has to return the others. */
  partKeptMs: number;
}

/** A real wallet's times. Tests shorten them. */
export const DECISION_TIMES: DecisionTimes = {
  confirmAfterMs: 2_000,
  giveUpPendingAfterMs: 5_000,
  confirmSilentAfterMs: 30_000,
  partKeptMs: 60 * 60_000,
};

/** NUT error code for inputs whose signature isn't the mint's. */
const PROOF_INVALID = 10_001;

/** NUT error codes about outputs: already signed, pending, duplicate. */
const OUTPUT_CODES: readonly (number | undefined)[] = [11_003, 11_004, 11_008];

/** Returns what a failed request reveals about the exchange. */
export const failedResponse = (error: MintError): Response => {
  const { kind, details } = error;
  if (kind === 'unreachable' || details.isUnsent) return { kind: 'unsent', error };
  if (kind !== 'refused') return { kind, error };
  const { limit, mintCode, isUnknownFormat } = details;
  if (limit) return { kind, about: 'size', limit, error };
  // A proxy's page isn't the mint's answer.
  if (isUnknownFormat) return { kind: 'unanswered', error };
  if (mintCode === PROOF_INVALID) return { kind, about: 'inputs', error };
  return { kind, about: OUTPUT_CODES.includes(mintCode) ? 'outputs' : 'other', error };
};

/** Returns whether a mint refused with a code of the protocol. */
const hasProtocolCode = (response: Response): response is Refusal =>
  response.kind === 'refused' && isProtocolCode(response.error.details.mintCode);

/**
 * NUT error codes that claim what the states of inputs and outputs also say: spent, pending or signed. If the states
 * don't say it, the mint contradicts itself: the states may lag behind a request that it carried out.
 */
const STATE_CODES: readonly (number | undefined)[] = [10_002, 11_001, 11_002, 11_003, 11_004];

/** Returns whether a response rules out that its request was carried out, if the states agree. */
const isCoded = (response: Response): boolean =>
  hasProtocolCode(response) && !STATE_CODES.includes(response.error.details.mintCode);

/**
 * Returns an exchange's proofs if the mint signed all outputs with the planned amounts. Another operation with the
 * same counters has other amounts.
 */
const resultOf = (
  { keep, send }: Pick<SwapPlan, 'keep' | 'send'>,
  signed: readonly (Proof | null)[],
): SwapResult | undefined => {
  const fitting = [...keep, ...send].flatMap(({ blindedMessage }, index) => {
    const proof = signed[index];
    return proof && proof.amount === Number(blindedMessage.amount) ? [proof] : [];
  });
  return fitting.length === keep.length + send.length
    ? { keep: fitting.slice(0, keep.length), send: fitting.slice(keep.length) }
    : undefined;
};

const SILENCE_REASONS = {
  unreachable: 'mint_unreachable',
  unanswered: 'mint_unanswered',
  limited: 'mint_limited',
  invalid: 'answer_invalid',
  refused: 'question_refused',
} as const satisfies Record<MintError['kind'], SilenceReason>;

/** An attempt without a response doesn't contradict an earlier decision. */
const waitForResponse = ({ looksFinishedSince }: Exchange, error: MintError): Wait => {
  const { retryAfterMs } = error.details;
  return {
    kind: 'wait',
    why: SILENCE_REASONS[error.kind],
    error,
    until: { by: 'answer', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    looksFinishedSince,
  };
};

/** The inputs by state. */
interface Inputs {
  spent: string[];
  pending: string[];
  areAllSpent: boolean;
}

const inputsOf = ({ inputs }: Exchange, states: readonly ProofState[]): Inputs => {
  const having = (state: ProofState) =>
    inputs.filter((_, index) => states[index] === state).map(({ y }) => y);
  const spent = having('SPENT');
  return { spent, pending: having('PENDING'), areAllSpent: spent.length === inputs.length };
};

/** The outputs, by whether the mint signed them. */
interface Outputs {
  isAnySigned: boolean;
  /** Only this wallet can have requested the signatures of random outputs. Those that leave in a token always are. */
  isAnyRandomSigned: boolean;
  /** The mint signed one with another amount. So it refused our request, or will, because it signs none twice. */
  isAnyTaken: boolean;
  result: SwapResult | undefined;
}

const isSigned = (proof: Proof | null): boolean => proof !== null;

const outputsOf = (exchange: Exchange, signed: readonly (Proof | null)[]): Outputs => ({
  isAnySigned: signed.some(isSigned),
  isAnyRandomSigned: signed.slice(exchange.counters ? exchange.keep.length : 0).some(isSigned),
  isAnyTaken: [...exchange.keep, ...exchange.send].some(({ blindedMessage }, index) => {
    const proof = signed[index];
    return proof && proof.amount !== Number(blindedMessage.amount);
  }),
  result: resultOf(exchange, signed),
});

/** The inputs are unspent, so new outputs work, unless the mint's fee no longer allows them. */
const rewrite = (
  { inputs, send, feeMax }: Exchange,
  keysets: Keysets,
  why: RewriteReason,
  certainty: Certainty,
): Rewrite | Refused => {
  const refused = { kind: 'refused', certainty, collision: why === 'collision' } as const;
  const { output } = keysets;
  const fee = feeOf(inputs, keysets);
  if (fee === undefined) return { ...refused, why: 'keyset_unlisted' };
  if (!output) return { ...refused, why: 'no_active_keyset' };
  if (feeMax !== undefined && fee > feeMax) return { ...refused, why: 'fee_too_high', fee, feeMax };
  const sent = send.reduce((sum, { blindedMessage }) => sum + Number(blindedMessage.amount), 0);
  const kept = sumOf(inputs) - fee - sent;
  if (kept < 0 || kept + sent === 0) return { ...refused, why: 'below_fee' };
  return { kind: 'rewrite', why, output, fee, kept, sent };
};

/** The mint signed our outputs for someone else, and all inputs are unspent. */
const passCollision = (exchange: Exchange, { keysets }: Evidence) =>
  keysets
    ? rewrite(exchange, keysets, 'collision', 'provisional')
    : ({ kind: 'ask', about: 'keysets', refresh: false } as const);

/** Returns whether the mint has since retired the outputs' keyset or changed the fee. */
const isOutdated = ({ keysetId, inputs, fee }: Exchange, keysets: Keysets): boolean => {
  const keyset = keysets.all.find(({ id }) => id === keysetId);
  return !keyset?.active || feeOf(inputs, keysets) !== fee;
};

/** The mint refused, all inputs are unspent, and none of our outputs is signed. */
const ofRefusal = (
  exchange: Exchange,
  { keysets }: Evidence,
  response: Refusal,
): Refused | Rewrite | Question => {
  const { error } = response;
  const certainty = isCoded(response) && exchange.earlier !== 'unanswered' ? 'final' : 'provisional';
  const refused = { kind: 'refused', certainty, error, unsigned: certainty === 'final' } as const;
  if (response.about === 'inputs') {
    const ys = exchange.inputs.map(({ y }) => y);
    return { ...refused, why: 'inputs_refused', ...(exchange.isOwn ? { refused: ys } : {}) };
  }
  if (response.about === 'size') return { ...refused, why: 'too_large', limit: response.limit };
  if (!keysets) return { kind: 'ask', about: 'keysets', refresh: true };
  if (isOutdated(exchange, keysets)) return rewrite(exchange, keysets, 'keyset_outdated', certainty);
  if (response.about === 'outputs') return rewrite(exchange, keysets, 'outputs_refused', certainty);
  return { ...refused, why: 'mint_refused' };
};

/** Only the mint knows how this ends. */
const WORKING: Wait = {
  kind: 'wait',
  why: 'mint_working',
  until: { by: 'mint' },
  looksFinishedSince: undefined,
};

/** The mint returned only some signatures. `inTheEnd` is the decision if it never returns the others. */
const waitForSignatures = (
  { createdAt }: Exchange,
  now: number,
  inTheEnd: Refused | undefined,
  { partKeptMs }: DecisionTimes,
): Wait | Refused => {
  const at = createdAt + partKeptMs;
  if (inTheEnd && now >= at) return inTheEnd;
  const until = inTheEnd ? ({ by: 'time', at } as const) : ({ by: 'mint' } as const);
  return { kind: 'wait', why: 'partly_signed', until, looksFinishedSince: undefined };
};

/**
 * Decides by the states of inputs and outputs. An answer counts only if all inputs are unspent and no output is signed,
 * because a proxy between us and the mint may have repeated the request, and we got the second answer.
 */
const ofStates = (
  exchange: Exchange,
  evidence: Evidence,
  response: Exclude<Response, { kind: 'done' }>,
  { spent, pending, areAllSpent }: Inputs,
  { isAnySigned, isAnyRandomSigned, isAnyTaken, result }: Outputs,
  times: DecisionTimes,
): Decision | Question => {
  const isSpent = { kind: 'refused', why: 'inputs_spent', certainty: 'provisional', spent } as const;
  // A mint signs a swap completely or not at all. If only part stays signed, another copy of this wallet used the
  // same counters.
  const isAnothers = { ...isSpent, collision: true };
  const isTaken = isAnyTaken && response.kind === 'refused' && exchange.earlier !== 'unanswered';
  if (areAllSpent) {
    if (result) return { kind: 'done', result, isReplayed: true };
    if (isTaken) return isAnothers;
    return isAnySigned ? waitForSignatures(exchange, evidence.now, isAnothers, times) : isSpent;
  }
  if (isAnySigned) {
    // Query the inputs again, because one of our swaps may have succeeded in the meantime.
    const { inputsAgain } = evidence;
    if (!inputsAgain) return { kind: 'ask', about: 'inputsAgain' };
    if (inputsAgain.every((state) => state === 'UNSPENT'))
      return isAnyRandomSigned ? WORKING : passCollision(exchange, evidence);
    if (isTaken && spent.length > 0) return isAnothers;
    return waitForSignatures(exchange, evidence.now, spent.length > 0 ? isAnothers : undefined, times);
  }
  if (pending.length > 0) {
    // A send can use other proofs instead. If the mint carries out this one anyway, the recheck finds its token.
    const canUseOthers = exchange.isOwn && exchange.send.length > 0;
    // The inputs that aren't pending needn't wait for the others.
    const canSplit = exchange.isLoose && pending.length < exchange.inputs.length;
    return (canUseOthers || canSplit) && response.kind === 'refused'
      ? { kind: 'refused', why: 'inputs_pending', certainty: 'provisional', spent, pending }
      : WORKING;
  }
  if (spent.length > 0) return isSpent;
  // The swap didn't happen. Without a clear refusal, the wallet can repeat it.
  if (response.kind !== 'refused') return waitForResponse(exchange, response.error);
  return ofRefusal(exchange, evidence, response);
};

/**
 * Decides by the states of inputs and outputs, never by the mint's answer alone. Inputs must be queried before
 * outputs, because the other order misjudges a swap that succeeds in between.
 */
const decideSwap = (
  exchange: SwapExchange,
  evidence: Evidence,
  times: DecisionTimes,
): Decision | Question => {
  const { response, inputs, signed, unread } = evidence;
  const isFirst = exchange.earlier === 'none';
  if (response.kind === 'done') return { ...response, isReplayed: !isFirst };
  const { error } = response;
  if (response.kind === 'unsent' && isFirst) {
    return { kind: 'refused', why: 'never_sent', certainty: 'final', unsigned: true, error };
  }
  // More requests would fail too, or use up the mint's limit.
  if (response.kind === 'unsent' || response.kind === 'limited') return waitForResponse(exchange, error);
  if (unread) return waitForResponse(exchange, unread);
  if (!inputs) return { kind: 'ask', about: 'inputs' };
  if (!signed) return { kind: 'ask', about: 'signed' };
  return ofStates(
    exchange,
    evidence,
    response,
    inputsOf(exchange, inputs),
    outputsOf(exchange, signed),
    times,
  );
};

/** Returns how long a refusal must look the same before it counts, in ms. */
const confirmMsOf = (
  refused: Refused,
  { earlier }: Exchange,
  response: Response,
  { confirmAfterMs, giveUpPendingAfterMs, confirmSilentAfterMs }: DecisionTimes,
): number => {
  if (refused.why === 'never_sent') return 0;
  if (refused.why === 'inputs_pending') return giveUpPendingAfterMs;
  const isClear = ['inputs_spent', 'too_large'].includes(refused.why) && response.kind === 'refused';
  // After a request without an answer, the mint may have carried out ours and report that late.
  return earlier !== 'unanswered' && (isClear || isCoded(response)) ? confirmAfterMs : confirmSilentAfterMs;
};

/** A refusal must be seen twice. */
const confirmed = (
  refused: Refused,
  exchange: Exchange,
  { now, response }: Evidence,
  times: DecisionTimes,
): Refused | Wait => {
  // The clock may have been set back since.
  const looksFinishedSince = Math.min(exchange.looksFinishedSince ?? now, now);
  const at = looksFinishedSince + confirmMsOf(refused, exchange, response, times);
  return now >= at
    ? refused
    : { kind: 'wait', why: 'confirming', until: { by: 'time', at }, looksFinishedSince };
};

/**
 * Decides what happened to an exchange, or requests the missing evidence. It uses no clock and sends no request: the
 * same evidence always produces the same decision.
 */
export const decide = (exchange: Exchange, evidence: Evidence, times: DecisionTimes): Decision | Question => {
  const decision = decideSwap(exchange, evidence, times);
  return decision.kind === 'refused' ? confirmed(decision, exchange, evidence, times) : decision;
};

/** Steps at which a crash test can kill the process. */
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

interface AttemptParts {
  mint: Mint;
  clock: Clock;
  onStep: OnStep;
  times: DecisionTimes;
}

/** Returns a mint's error. Rethrows anything else. */
const asMintError = (error: unknown): MintError => {
  if (error instanceof MintError) return error;
  throw error;
};

const restoreOutputs = (mint: Mint, { keysetId, keep, send }: SwapPlan) =>
  mint.restore(keysetId, [...keep, ...send]);

/** Returns a plan's result, if the mint signed all of its outputs with the plan's amounts (NUT-09). */
export const findSigned = async (mint: Mint, plan: SwapPlan): Promise<SwapResult | undefined> =>
  resultOf(plan, await restoreOutputs(mint, plan));

const send = async (exchange: Exchange, { mint, onStep }: AttemptParts): Promise<Response> => {
  try {
    const result = await mint.swap(exchange);
    onStep('swap-answered');
    return { kind: 'done', result };
  } catch (error) {
    return failedResponse(asMintError(error));
  }
};

const askAbout = async (
  question: Question,
  exchange: Exchange,
  { mint, onStep }: AttemptParts,
): Promise<Partial<Evidence>> => {
  const states = () => mint.states(exchange.inputs.map(({ y }) => y));
  switch (question.about) {
    case 'inputs': {
      const inputs = await states();
      onStep('states-known');
      return { inputs };
    }
    case 'signed': {
      const signed = await restoreOutputs(mint, exchange);
      onStep('outputs-restored');
      return { signed };
    }
    case 'inputsAgain':
      return { inputsAgain: await states() };
    case 'keysets':
      return { keysets: await mint.keysets(question.refresh) };
  }
};

/** Returns how all requests of an exchange ended, including the last one. */
const afterResponse = (earlier: Earlier, { response, inputs, signed }: Omit<Evidence, 'now'>): Earlier => {
  if (response.kind === 'unsent' || earlier === 'unanswered') return earlier;
  if (response.kind !== 'refused') return 'unanswered';
  // The states show what the refusal says, or could say.
  const isShown = inputs?.some((state) => state !== 'UNSPENT') || signed?.some((proof) => proof !== null);
  const isRefused = isCoded(response) || response.about === 'size' || (hasProtocolCode(response) && isShown);
  return isRefused ? 'refused' : 'unanswered';
};

/**
 * Sends an exchange, and fetches only the evidence that {@link decide} needs. Any error from the mint becomes
 * evidence. Also returns the next attempt's {@link Earlier}.
 */
export const attempt = async (
  exchange: Exchange,
  parts: AttemptParts,
): Promise<{ decision: Decision; earlier: Earlier }> => {
  const { clock, times } = parts;
  const response = await send(exchange, parts);
  let evidence: Omit<Evidence, 'now'> = { response };
  for (;;) {
    const decision = decide(exchange, { ...evidence, now: clock.now() }, times);
    if (decision.kind !== 'ask') return { decision, earlier: afterResponse(exchange.earlier, evidence) };
    const found = await askAbout(decision, exchange, parts).catch(
      (error: unknown): Partial<Evidence> => ({ unread: asMintError(error) }),
    );
    evidence = { ...evidence, ...found };
  }
};
