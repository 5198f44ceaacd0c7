import type {
  Keysets,
  MintError,
  MintLimit,
  OutputKeyset,
  Proof,
  ProofState,
  SwapPlan,
  SwapResult,
} from '../mint/mint.ts';

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
export type Refusal = { kind: 'refused'; error: MintError } & (
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
export type Certainty = 'final' | 'provisional';

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
export type SilenceReason =
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
