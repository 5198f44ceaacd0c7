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
 * A union by endpoint. A mint or a melt (NUT-04, NUT-05) becomes another member, with its quote in the
 * {@link Evidence}.
 */
export type Exchange = SwapExchange;

/** A swap (NUT-03). Times in milliseconds since 1970. */
export interface SwapExchange extends SwapPlan {
  endpoint: 'swap';
  /** The mint's fee that the outputs allow for, in sat. */
  fee: number;
  /** The inputs are the wallet's own proofs, not those of a token from outside. */
  isOwn: boolean;
  /** An earlier request may have reached the mint. */
  mayHaveBeenSent: boolean;
  createdAt: number;
  /** Since when every check of the mint gave the same provisional decision. */
  looksFinishedSince: number | undefined;
}

/** How the one request ended. */
export type Response =
  | { kind: 'done'; result: SwapResult }
  /** Certainly nothing was sent. */
  | { kind: 'unsent'; error: MintError }
  | { kind: 'limited' | 'unanswered' | 'invalid'; error: MintError }
  | Refusal;

/** The mint said no. */
export type Refusal = { kind: 'refused'; error: MintError } & (
  | { about: 'inputs' | 'outputs' | 'other' }
  /** The mint accepts fewer inputs or outputs. */
  | { about: 'size'; limit: MintLimit }
);

/** What the wallet knows about an exchange. Everything after `answer` is missing until the wallet requested it. */
export interface Evidence {
  /** Milliseconds since 1970. */
  now: number;
  answer: Response;
  /** The states of the inputs, asked after the request. */
  inputs?: readonly ProofState[];
  /** The proofs of those outputs that the mint signed for any operation, and null for the others. */
  signed?: readonly (Proof | null)[];
  /** The states of the inputs, asked once more after `signed`. */
  inputsAgain?: readonly ProofState[];
  keysets?: Keysets;
  /** Why the last request got no response. */
  unread?: MintError;
}

/**
 * How certain a decision is.
 *
 * - `final`: the mint responded to the only request that was ever sent.
 * - `provisional`: an earlier request may still be on its way, or the mint may not have reported everything. The
 *   wallet saw the same twice, and checks again for some days.
 */
export type Certainty = 'final' | 'provisional';

/** The mint did it. */
interface Done {
  kind: 'done';
  result: SwapResult;
  /** The mint may have done it earlier, so its proofs may be spent by now. */
  isReplayed: boolean;
}

/** Why an exchange ends without effect. */
export type RefusalReason = Refused['why'];

/** The mint did not do it. */
export type Refused = RefusedFacts &
  (
    | { why: 'never_sent' | 'inputs_refused' | 'mint_refused'; error: MintError }
    | { why: 'too_large'; error: MintError; limit: MintLimit }
    | { why: 'inputs_spent' | 'inputs_pending' }
    /** New outputs are needed and can't be made. Fees in sat. */
    | { why: 'keyset_unlisted' | 'no_active_keyset' | 'below_fee' | 'rewritten_too_often' }
    | { why: 'fee_too_high'; fee: number; feeMax: number }
  );

/** What every refusal says. */
interface RefusedFacts {
  kind: 'refused';
  certainty: Certainty;
  /** The Ys of inputs that somebody else spent. */
  spent?: readonly string[];
  /** The Ys of inputs that another request holds. */
  pending?: readonly string[];
  /** The Ys of own proofs that the mint calls invalid. */
  refused?: readonly string[];
  /** The mint will never sign a request for these outputs. */
  unsigned?: boolean;
  /** The mint signed our outputs for another operation: somebody used the same counters. */
  collision?: boolean;
}

/** Why an exchange needs new outputs. */
export type RewriteReason = 'keyset_outdated' | 'outputs_refused' | 'collision';

/** The inputs are unspent, and new outputs can succeed. Amounts in sat. */
export interface Rewrite {
  kind: 'rewrite';
  why: RewriteReason;
  certainty: Certainty;
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
  /** The mint signed only some outputs, or didn't report all that it signed. */
  | { why: 'partly_signed'; until: UntilMint | UntilTime }
  /** It looks refused, and a second check must confirm that. */
  | { why: 'confirming'; until: UntilTime }
);

/** A request without a usable response. */
interface SilentWait {
  why: SilenceReason;
  error: MintError;
  until: UntilResponse;
}

/** How the mint failed to answer. */
export type SilenceReason =
  | 'mint_unreachable'
  | 'mint_unanswered'
  | 'mint_limited'
  | 'answer_invalid'
  | 'question_refused';

/** The wallet asks again, in `retryAfterMs` at the earliest. */
interface UntilResponse {
  by: 'answer';
  retryAfterMs?: number;
}

/** The decision changes at this time if nothing else does. In milliseconds since 1970. */
interface UntilTime {
  by: 'time';
  at: number;
}

/** Only the mint ends it, or the person who releases the operation. */
interface UntilMint {
  by: 'mint';
}

/** What happens to an exchange. */
export type Decision = Done | Refused | Rewrite | Wait;

/** The evidence that a decision still needs. */
export type Question =
  | { kind: 'ask'; about: 'inputs' | 'signed' | 'inputsAgain' }
  | { kind: 'ask'; about: 'keysets'; refresh: boolean };

/** The waits of {@link Decision}s, in ms. */
export interface DecisionTimes {
  /** How long an exchange must look refused before that counts. An unanswered request may still arrive. */
  confirmAfterMs: number;
  /** How long a mint that returned only some signatures has to return the others. */
  partKeptMs: number;
}

/** The waits of a real wallet. Tests shorten them. */
export const DECISION_TIMES: DecisionTimes = { confirmAfterMs: 30_000, partKeptMs: 60 * 60_000 };
