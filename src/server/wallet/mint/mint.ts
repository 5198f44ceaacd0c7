import type { InvalidReason } from '../../../shared/api/wallet.ts';

/** A proof: ecash worth `amount` sat (NUT-00). `y` is hash_to_curve of the secret in hex, the name the mint knows it by. */
export interface Proof {
  id: string;
  amount: number;
  secret: string;
  C: string;
  y: string;
  witness?: string | undefined;
}

/** A blinded output with the secrets to unblind its signature, as JSON can hold it (cashu-ts `SerializedOutputData`). */
export interface Output {
  blindedMessage: { amount: string; B_: string; id: string };
  blindingFactor: string;
  secret: string;
}

/** Everything a swap needs (NUT-03), so that the very same request can be made again after a crash. */
export interface SwapPlan {
  /** The keyset of all outputs. */
  keysetId: string;
  inputs: Proof[];
  /** Outputs whose proofs we keep. */
  keep: Output[];
  /** Outputs whose proofs leave in a token. */
  send: Output[];
  /** The counters that `keep` is made from. Plans of the first version have none. */
  counters?: CounterRange;
}

/** Counters of a keyset (NUT-13): `count` of them from `start`. */
export interface CounterRange {
  start: number;
  count: number;
}

/** The proofs of a swap, and those that leave as the token they leave in. */
export interface SwapResult {
  keep: Proof[];
  send: Proof[];
}

/** What a token says about itself, without asking the mint. `amount` in sat (or the unit it names). */
export interface TokenDescription {
  mint: string;
  unit: string;
  amount: number;
  memo?: string;
  proofs: number;
  /** Locked to a key that we do not hold (NUT-11, NUT-14). */
  locked: boolean;
}

/** A token as it was decoded, and the Ys of its proofs, which our own journal knows them by. */
export interface DescribedToken {
  description: TokenDescription;
  ys: string[];
}

/** A token whose keysets are known and whose DLEQ proofs check where present (NUT-12). */
export interface OpenedToken {
  proofs: Proof[];
  /** What the mint keeps when they are swapped, in sat (NUT-02). */
  fee: number;
}

/** A token that can be read and must not be taken, and why. */
export interface RefusedToken {
  description: TokenDescription;
  refusal: InvalidReason;
}

/** A token that is ours to take, unless it is spent. */
export interface InspectedToken {
  description: TokenDescription;
  opened: OpenedToken;
}

/** A keyset of the mint (NUT-02) in unit sat. */
export interface Keyset {
  id: string;
  active: boolean;
  /** Fee of 1,000 inputs, in sat. */
  inputFeePpk: number;
  /** Seconds since 1970; after it the mint may refuse its proofs. */
  finalExpiry?: number;
}

/** A keyset with its public keys (NUT-01), as they are kept on disk in case the mint drops them. */
export interface KeysetKeys extends Keyset {
  /** Public keys in hex by amount. */
  keys: Record<string, string>;
}

/** The sat keysets of the mint, and the one that new outputs are made for. */
export interface Keysets {
  all: Keyset[];
  /**
   * The cheapest active keyset that has not expired, one that lasts longer than a week if there is one. Undefined while the mint has
   * no active keyset.
   */
  outputId: string | undefined;
  /** Keysets whose keys were loaded since the last call, to be stored. */
  learned: KeysetKeys[];
}

/** What a mint knows of a proof (NUT-07). */
export type ProofState = 'UNSPENT' | 'PENDING' | 'SPENT';

/** What the mint says of itself (NUT-06). */
export interface MintInfo {
  name?: string;
  version?: string;
  motd?: string;
}

/** Counters of one keyset. */
export interface KeysetCounters extends CounterRange {
  keysetId: string;
}

/** A counter of the seed that the mint has signed, and the proof it gives. */
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
 * What can go wrong with the mint:
 *
 * - `unreachable`: surely nothing was sent (connection refused, no such host, no TLS).
 * - `unanswered`: it may have been sent and done (time out, connection dropped, 5xx).
 * - `limited`: the mint limits our requests (HTTP 429). `details.retryAfterMs` is always set.
 * - `refused`: the mint said no, in its protocol or by an HTTP status.
 * - `invalid`: it answered what no mint may answer (not JSON, wrong amounts, wrong signatures).
 */
export type MintErrorKind = 'unreachable' | 'unanswered' | 'limited' | 'refused' | 'invalid';

/** `retryAfterMs` of a mint that limits our requests and does not say for how long. */
export const RETRY_AFTER_UNNAMED_MS = 60_000;

/** The most inputs or outputs that a mint takes in one request; `most` is undefined when it did not say. */
export interface MintLimit {
  what: 'inputs' | 'outputs';
  most: number | undefined;
}

/** A mint that cannot be reached, refuses, or does not keep to its protocol. */
export class MintError extends Error {
  readonly kind: MintErrorKind;
  /** The mint's own error code (not reliable between mints), HTTP status, and the limit it named when a request was too large. */
  readonly details: { mintCode?: number; status?: number; retryAfterMs?: number; limit?: MintLimit };

  constructor(kind: MintErrorKind, message: string, details: MintError['details'] = {}) {
    super(message);
    this.name = 'MintError';
    this.kind = kind;
    this.details = details;
  }
}

/**
 * What the wallet needs of a mint. All amounts in sat.
 *
 * Calls reject with {@link MintError}, those that are given a token with {@link TokenError} too.
 */
export interface Mint {
  /** Reads a token and opens no connection: all that the wallet of DEV_MODE needs. */
  describe(token: string): Promise<DescribedToken>;
  /**
   * Reads a token, and where it is ours to take finds its keysets at the mint, new ones too, and checks its DLEQ proofs. One call
   * for all of it, since each crosses to a thread and back.
   */
  inspect(token: string): Promise<RefusedToken | InspectedToken>;
  /** The mint's keysets; asked anew when `refresh`, else kept from the last time. */
  keysets(refresh: boolean): Promise<Keysets>;
  /** The amounts that make up a sum with the fewest outputs. */
  split(keysetId: string, amount: number): Promise<number[]>;
  /** Outputs that the words can bring back (NUT-13): the first gets `counter`, the next one more. */
  deterministicOutputs(
    keysetId: string,
    amounts: number[],
    mnemonic: string,
    counter: number,
  ): Promise<Output[]>;
  /** Outputs that no words can bring back. */
  randomOutputs(keysetId: string, amounts: number[]): Promise<Output[]>;
  /** Swaps (NUT-03) and checks every signature. */
  swap(plan: SwapPlan): Promise<SwapResult>;
  /** The states of proofs by their Y, in the order asked (NUT-07). */
  states(ys: string[]): Promise<ProofState[]>;
  /**
   * The proofs of those outputs that the mint has signed (NUT-09), in the order asked; null for the others. A proof has the amount
   * that was signed, which differs from the output's when another operation used the same counter.
   */
  restore(keysetId: string, outputs: Output[]): Promise<(Proof | null)[]>;
  /**
   * The counters of these ranges that the mint has signed (NUT-09, NUT-13), of inactive keysets too. One request takes up to 100
   * counters, of several ranges and keysets. Says nothing about whether the proofs are spent.
   */
  scan(mnemonic: string, ranges: KeysetCounters[]): Promise<SignedCounter[]>;
  /** Writes proofs as a token (NUT-00, version 4). */
  encode(proofs: Proof[], memo: string | undefined): Promise<string>;
  info(): Promise<MintInfo>;
  close(): Promise<void>;
}
