import type { InvalidReason, MintNeed } from '../../../shared/api/wallet.ts';
import type { OtherPayment } from '../../../shared/other-payment.ts';

/**
 * A proof: ecash worth `amount` sat (NUT-00). `y` is hash_to_curve of the secret in hex, which identifies it to the
 * mint.
 */
export interface Proof {
  id: string;
  amount: number;
  secret: string;
  C: string;
  y: string;
  witness?: string | undefined;
  /** The mint's proof that it signed this (NUT-12), if it just sent one. The database doesn't store it. */
  dleq?: { e: string; s: string; r: string } | undefined;
}

/** A blinded output with the secrets to unblind its signature, in JSON (cashu-ts `SerializedOutputData`). */
export interface Output {
  blindedMessage: { amount: string; B_: string; id: string };
  blindingFactor: string;
  secret: string;
}

/** All sats that can ever exist. SECURITY: a larger amount can't be real, and a sum could exceed a number's range. */
export const MOST_SATS = 2_100_000_000_000_000;

/** Everything a swap needs (NUT-03), so that the wallet can repeat the same request after a crash. */
export interface SwapPlan {
  /** The keyset of all outputs. */
  keysetId: string;
  inputs: Proof[];
  /** The outputs whose proofs we keep. */
  keep: Output[];
  /** The outputs whose proofs leave in a token. */
  send: Output[];
  /** The counters from which `keep` is derived. Missing for random outputs. */
  counters?: CounterRange;
  /**
   * The maximum fee for the mint, in sats, even after this plan is rewritten. Missing if an outside token pays the
   * fee.
   */
  feeMax?: number;
}

/** A keyset's counters (NUT-13): `count` of them from `start`. */
export interface CounterRange {
  start: number;
  count: number;
}

/** The proofs from a swap: those we keep, and those that leave in a token. */
export interface SwapResult {
  keep: Proof[];
  send: Proof[];
}

/** A token's contents, read without the mint. `amount` is in sats, or in the token's own unit. */
export interface TokenDescription {
  mint: string;
  unit: string;
  amount: number;
  memo?: string;
  proofs: number;
  /** True if it's locked to a key we don't have (NUT-11, NUT-14). */
  locked: boolean;
}

/** A decoded token, and its proofs' Ys, which are their keys in our database. */
interface DescribedToken {
  description: TokenDescription;
  /** Undefined if there are more than `mostProofs` proofs, because each Y costs processor time. */
  ys: string[] | undefined;
}

/** A token whose keysets are known and whose DLEQ proofs, if any, are valid (NUT-12). */
export interface OpenedToken {
  proofs: Proof[];
  /** The mint's fee for swapping the proofs, in sats (NUT-02). */
  fee: number;
  /** True if all proofs have DLEQ proofs. Only the mint can check other signatures. */
  signaturesChecked: boolean;
}

/** A token that the wallet must not receive, and the reason. */
export interface RefusedToken {
  /** Undefined for text that can't be parsed as a token. */
  description: TokenDescription | undefined;
  refusal: InvalidReason;
  /** What text without one complete token is instead: a request for sats, or several tokens. */
  isInstead?: OtherPayment | { tokens: number } | undefined;
}

/** A token that the wallet can receive, unless it's spent. */
export interface InspectedToken {
  description: TokenDescription;
  opened: OpenedToken;
  /** As {@link Mint.keysets} returns them without a refresh. */
  keysets: Keysets;
}

/** A mint's keyset (NUT-02) in the unit sat. */
export interface Keyset {
  id: string;
  active: boolean;
  /** The fee per 1,000 inputs, in sats. */
  inputFeePpk: number;
  /** In seconds since 1970. The mint may refuse the keyset's proofs after that. */
  finalExpiry?: number;
}

/** A keyset with its public keys (NUT-01). The wallet stores them in case the mint drops them. */
export interface KeysetKeys extends Keyset {
  /** The public keys in hex, by amount. */
  keys: Record<string, string>;
}

/** The keyset for new outputs, and the amounts it has keys for, largest first. */
export interface OutputKeyset {
  id: string;
  amounts: number[];
}

/** The mint's sat keysets, and the one for new outputs. */
export interface Keysets {
  all: Keyset[];
  /**
   * The cheapest active keyset that hasn't expired, preferably one that lasts longer than a week. Undefined while the
   * mint has no active keyset.
   */
  output: OutputKeyset | undefined;
  /** Keysets with new keys or data since the last call, which the caller stores. */
  learned: KeysetKeys[];
  /** The ids of other mints' keysets that this mint lists as its own. `all` leaves them out. Undefined if none. */
  foreign?: string[];
}

/** A proof's state at the mint (NUT-07). */
export type ProofState = 'UNSPENT' | 'PENDING' | 'SPENT';

/** The mint's information about itself (NUT-06). */
export interface MintInfo {
  name?: string;
  version?: string;
  motd?: string;
}

/** A mint's features for wallets. */
interface MintOffer {
  info: MintInfo;
  /** The units of its active keysets. */
  units: string[];
  /** The features that this wallet needs and the mint doesn't offer. */
  lacks: MintNeed[];
}

/** Counters of one keyset. */
export interface KeysetCounters extends CounterRange {
  keysetId: string;
}

/** A seed counter that the mint signed, with the signature's proof. */
export interface SignedCounter {
  keysetId: string;
  counter: number;
  proof: Proof;
}

/** Thrown for a token that is refused before anything is sent. */
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
 * - `unreachable`: nothing can have been sent (connection refused, no such host, no TLS).
 * - `unanswered`: the request may have been sent and processed (timeout, connection dropped, 5xx, or
 *   a page of a proxy).
 * - `limited`: the mint limits our requests (HTTP 429). `details.retryAfterMs` is always set.
 * - `refused`: the mint refused, in its protocol or by an HTTP status.
 * - `invalid`: the response broke the protocol (not JSON, wrong amounts, wrong signatures).
 */
type MintErrorKind = 'unreachable' | 'unanswered' | 'limited' | 'refused' | 'invalid';

/** `retryAfterMs` for a mint that limits our requests without saying for how long. */
export const RETRY_AFTER_UNNAMED_MS = 60_000;

/** The mint's limit for inputs or outputs in one request. `most` is undefined if the mint didn't state it. */
export interface MintLimit {
  what: 'inputs' | 'outputs';
  most: number | undefined;
}

/** Thrown if the mint is unreachable, refuses a request, or violates its protocol. */
export class MintError extends Error {
  readonly kind: MintErrorKind;
  /** The mint's own error code (not reliable across mints), HTTP status, and the limit if a request was too large. */
  readonly details: {
    mintCode?: number;
    status?: number;
    retryAfterMs?: number;
    limit?: MintLimit;
    /** True if the request failed before it was sent, because a prerequisite couldn't be read. */
    isUnsent?: boolean;
    /** True if the response isn't in the format of any mint, so it may come from something between us and the mint. */
    isUnknownFormat?: boolean;
  };

  constructor(kind: MintErrorKind, message: string, details: MintError['details'] = {}) {
    super(message);
    this.name = 'MintError';
    this.kind = kind;
    this.details = details;
  }
}

/** Returns whether a code is one of NUT `error_codes.md`. A mint's general codes, such as 0 and 11000, say nothing. */
export const isProtocolCode = (code: number | undefined): boolean =>
  code !== undefined && code > 10_000 && code % 1_000 !== 0;

/** Statuses of an endpoint that a mint doesn't have. Its web server may say so with a page or an empty body. */
export const NO_SUCH_ENDPOINT: readonly (number | undefined)[] = [404, 405];

/**
 * Returns whether the mint would answer the same question in the same way again. A proxy's page isn't its answer, and a
 * general error, such as a database that is locked, passes.
 */
export const isLasting = ({ kind, details }: MintError): boolean => {
  const { status, mintCode, limit, isUnknownFormat } = details;
  if (kind === 'invalid') return !isUnknownFormat;
  if (kind !== 'refused') return false;
  // Without a status, the wallet itself refused.
  return (
    status === undefined ||
    limit !== undefined ||
    NO_SUCH_ENDPOINT.includes(status) ||
    isProtocolCode(mintCode)
  );
};

/**
 * The wallet's interface to a mint. All amounts are in sats.
 *
 * Calls reject with {@link MintError}. Calls with a token can also reject with {@link TokenError}.
 */
export interface Mint {
  /** Reads a token without opening a connection. */
  describe(token: string, mostProofs: number): Promise<DescribedToken>;
  /**
   * Reads a token. If the wallet can receive it, fetches its keysets from the mint, even new ones, and checks its DLEQ
   * proofs. This is one call, because each call goes to a thread and back.
   *
   * Never rejects with {@link TokenError}. Refuses a token with more than `mostProofs` before it contacts the mint or
   * checks a proof. By default, there's no limit.
   */
  inspect(token: string, mostProofs?: number): Promise<RefusedToken | InspectedToken>;
  /** Returns the mint's keysets. With `refresh`, fetches them again. */
  keysets(refresh: boolean): Promise<Keysets>;
  /** Never uses these keysets here again, because they belong to other mints. */
  disown(keysetIds: string[]): Promise<void>;
  /**
   * Creates outputs that backup words can restore (NUT-13). The first one uses `counter`, and the others the
   * following counters.
   */
  deterministicOutputs(
    keysetId: string,
    amounts: number[],
    mnemonic: string,
    counter: number,
  ): Promise<Output[]>;
  /** Creates outputs that backup words can't restore. */
  randomOutputs(keysetId: string, amounts: number[]): Promise<Output[]>;
  /** Swaps proofs (NUT-03) and checks every signature. */
  swap(plan: SwapPlan): Promise<SwapResult>;
  /** Returns the states of proofs by their Y, in the requested order (NUT-07). */
  states(ys: string[]): Promise<ProofState[]>;
  /**
   * Returns the proofs of outputs that the mint signed (NUT-09), in the requested order, and null for the others. A
   * proof has the signed amount, which differs from the output's if another operation used the same counter.
   */
  restore(keysetId: string, outputs: Output[]): Promise<(Proof | null)[]>;
  /**
   * Returns the counters in these ranges that the mint signed (NUT-09, NUT-13), even for inactive keysets. One
   * request holds up to 100 counters from several ranges and keysets. Doesn't check whether the proofs are spent.
   */
  scan(mnemonic: string, ranges: KeysetCounters[]): Promise<SignedCounter[]>;
  /** Encodes proofs as a token (NUT-00, version 4). */
  encode(proofs: Proof[], memo: string | undefined): Promise<string>;
  /** Encodes a request for an amount in sats, paid in-band with a token from this mint (NUT-18, NUT-24). */
  request(amount: number): Promise<string>;
  info(): Promise<MintInfo>;
  /** Fetches what the mint currently offers. */
  offer(): Promise<MintOffer>;
  close(): Promise<void>;
}
