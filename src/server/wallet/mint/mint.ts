import type { InvalidReason, MintNeed } from '../../../shared/api/wallet.ts';

/**
 * A proof: ecash worth `amount` sat (NUT-00). `y` is hash_to_curve of the secret in hex, the name the mint
 * knows it by.
 */
export interface Proof {
  id: string;
  amount: number;
  secret: string;
  C: string;
  y: string;
  witness?: string | undefined;
  /** The mint's proof that it signed this (NUT-12), where it just sent one. The database doesn't keep it. */
  dleq?: { e: string; s: string; r: string } | undefined;
}

/**
 * A blinded output with the secrets to unblind its signature, in JSON form (cashu-ts `SerializedOutputData`).
 */
export interface Output {
  blindedMessage: { amount: string; B_: string; id: string };
  blindingFactor: string;
  secret: string;
}

/** SECURITY: more sats than there are bitcoin can't be real, and their sum could exceed what a number holds. */
export const MOST_SATS = 2_100_000_000_000_000;

/** Everything a swap needs (NUT-03), so that the wallet can repeat the same request after a crash. */
export interface SwapPlan {
  /** The keyset of all outputs. */
  keysetId: string;
  inputs: Proof[];
  /** Outputs whose proofs we keep. */
  keep: Output[];
  /** Outputs whose proofs leave in a token. */
  send: Output[];
  /** The counters that `keep` derives from. Missing for random outputs, and in plans of the first version. */
  counters?: CounterRange;
  /**
   * The most that the mint may take as its fee, in sat, also after this plan is written again. Missing where the
   * fee is paid by a token from outside.
   */
  feeMax?: number;
}

/** Counters of a keyset (NUT-13): `count` of them from `start`. */
export interface CounterRange {
  start: number;
  count: number;
}

/** The proofs of a swap: those that we keep, and those that leave in a token. */
export interface SwapResult {
  keep: Proof[];
  send: Proof[];
}

/** The contents of a token, read without asking the mint. `amount` in sat, or in the unit that it names. */
export interface TokenDescription {
  mint: string;
  unit: string;
  amount: number;
  memo?: string;
  proofs: number;
  /** Locked to a key that we don't hold (NUT-11, NUT-14). */
  locked: boolean;
}

/** A decoded token, and the Ys of its proofs, which our own database knows them by. */
interface DescribedToken {
  description: TokenDescription;
  ys: string[];
}

/** A token whose keysets are known and whose DLEQ proofs, if any, are valid (NUT-12). */
export interface OpenedToken {
  proofs: Proof[];
  /** The mint's fee for swapping the proofs, in sat (NUT-02). */
  fee: number;
  /** Whether all proofs have DLEQ proofs. Only the mint can check the signatures of others. */
  signaturesChecked: boolean;
}

/** A token that the wallet must not receive, and why. */
export interface RefusedToken {
  /** Undefined for text that can't be read as a token. */
  description: TokenDescription | undefined;
  refusal: InvalidReason;
}

/** A token that the wallet can receive, unless it is spent. */
export interface InspectedToken {
  description: TokenDescription;
  opened: OpenedToken;
  /** As {@link Mint.keysets} returns them without a refresh. */
  keysets: Keysets;
}

/** A keyset of the mint (NUT-02) in unit sat. */
export interface Keyset {
  id: string;
  active: boolean;
  /** Fee of 1,000 inputs, in sat. */
  inputFeePpk: number;
  /** Seconds since 1970. The mint may refuse its proofs after that. */
  finalExpiry?: number;
}

/** A keyset with its public keys (NUT-01). The wallet stores them in case the mint drops them. */
export interface KeysetKeys extends Keyset {
  /** Public keys in hex by amount. */
  keys: Record<string, string>;
}

/** The keyset that new outputs use, and the amounts it has keys for, largest first. */
export interface OutputKeyset {
  id: string;
  amounts: number[];
}

/** The mint's sat keysets, and the one for new outputs. */
export interface Keysets {
  all: Keyset[];
  /**
   * The cheapest active keyset that hasn't expired, preferably one that lasts longer than a week. Undefined
   * while the mint has no active keyset.
   */
  output: OutputKeyset | undefined;
  /** Keysets whose keys or data are new since the last call, to be stored. */
  learned: KeysetKeys[];
}

/** The state of a proof at the mint (NUT-07). */
export type ProofState = 'UNSPENT' | 'PENDING' | 'SPENT';

/** The mint's information about itself (NUT-06). */
export interface MintInfo {
  name?: string;
  version?: string;
  motd?: string;
}

/** What a mint offers to a wallet. */
interface MintOffer {
  info: MintInfo;
  /** The units of its active keysets. */
  units: string[];
  /** What this wallet needs, and the mint doesn't offer. */
  lacks: MintNeed[];
}

/** Counters of one keyset. */
export interface KeysetCounters extends CounterRange {
  keysetId: string;
}

/** A counter of the seed that the mint signed, and the proof of its signature. */
export interface SignedCounter {
  keysetId: string;
  counter: number;
  proof: Proof;
}

/** Why a token is refused before anything is sent. */
export class TokenError extends Error {
  readonly reason: InvalidReason;

  constructor(reason: InvalidReason, message: string = reason) {
    super(message);
    this.name = 'TokenError';
    this.reason = reason;
  }
}

/**
 * The ways in which a request to the mint can fail:
 *
 * - `unreachable`: certainly nothing was sent (connection refused, no such host, no TLS).
 * - `unanswered`: it may have been sent and done (timeout, connection dropped, 5xx).
 * - `limited`: the mint limits our requests (HTTP 429). `details.retryAfterMs` is always set.
 * - `refused`: the mint said no, in its protocol or by an HTTP status.
 * - `invalid`: the response broke the protocol (not JSON, wrong amounts, wrong signatures).
 */
type MintErrorKind = 'unreachable' | 'unanswered' | 'limited' | 'refused' | 'invalid';

/** `retryAfterMs` of a mint that limits our requests without saying for how long. */
export const RETRY_AFTER_UNNAMED_MS = 60_000;

/** The most inputs or outputs that a mint accepts in one request. `most` is undefined if it didn't say. */
export interface MintLimit {
  what: 'inputs' | 'outputs';
  most: number | undefined;
}

/** The mint can't be reached, refused a request, or didn't follow its protocol. */
export class MintError extends Error {
  readonly kind: MintErrorKind;
  /**
   * The mint's own error code (not reliable between mints), HTTP status, and the limit of a request that was
   * too large.
   */
  readonly details: {
    mintCode?: number;
    status?: number;
    retryAfterMs?: number;
    limit?: MintLimit;
    /** The request failed before it was sent, because something that it needs first could not be read. */
    isUnsent?: boolean;
  };

  constructor(kind: MintErrorKind, message: string, details: MintError['details'] = {}) {
    super(message);
    this.name = 'MintError';
    this.kind = kind;
    this.details = details;
  }
}

/**
 * The wallet's interface to a mint. All amounts in sat.
 *
 * Calls reject with {@link MintError}. Calls that get a token may also reject with {@link TokenError}.
 */
export interface Mint {
  /** Reads a token without opening a connection. The DEV_MODE wallet needs only this. */
  describe(token: string): Promise<DescribedToken>;
  /**
   * Reads a token. If the wallet can receive it, finds its keysets at the mint, even new ones, and checks its
   * DLEQ proofs. This is one call, because each call crosses to a thread and back.
   *
   * Never rejects with {@link TokenError}. Refuses a token of more than `mostProofs` before it asks the mint or checks a proof. Default: no limit.
   */
  inspect(token: string, mostProofs?: number): Promise<RefusedToken | InspectedToken>;
  /** The mint's keysets, fetched again if `refresh` is set, or else as known from the last time. */
  keysets(refresh: boolean): Promise<Keysets>;
  /**
   * Outputs that the words can restore (NUT-13). The first one uses `counter`, and each next one the counter
   * after it.
   */
  deterministicOutputs(
    keysetId: string,
    amounts: number[],
    mnemonic: string,
    counter: number,
  ): Promise<Output[]>;
  /** Outputs that no words can restore. */
  randomOutputs(keysetId: string, amounts: number[]): Promise<Output[]>;
  /** Swaps (NUT-03) and checks every signature. */
  swap(plan: SwapPlan): Promise<SwapResult>;
  /** The states of proofs by their Y, in the order asked (NUT-07). */
  states(ys: string[]): Promise<ProofState[]>;
  /**
   * The proofs of those outputs that the mint signed (NUT-09), in the order asked, and null for the others. A
   * proof has the signed amount, which differs from the output's if another operation used the same counter.
   */
  restore(keysetId: string, outputs: Output[]): Promise<(Proof | null)[]>;
  /**
   * The counters in these ranges that the mint signed (NUT-09, NUT-13), even of inactive keysets. One request
   * holds up to 100 counters, of several ranges and keysets. Doesn't check whether the proofs are spent.
   */
  scan(mnemonic: string, ranges: KeysetCounters[]): Promise<SignedCounter[]>;
  /** Encodes proofs as a token (NUT-00, version 4). */
  encode(proofs: Proof[], memo: string | undefined): Promise<string>;
  /** Encodes a request for an amount in sat, paid in-band with a token of this mint (NUT-18, NUT-24). */
  request(amount: number): Promise<string>;
  info(): Promise<MintInfo>;
  /** What it offers, asked now. */
  offer(): Promise<MintOffer>;
  close(): Promise<void>;
}
