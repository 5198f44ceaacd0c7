import { LRUCache } from 'lru-cache';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Mint, MintError, type Proof, TokenError } from '../mint/mint.ts';
import type { MintWatch } from '../mint/mint-watch.ts';
import type { RunResult } from './runner.ts';

/** A token that somebody gave the wallet to redeem. */
interface GivenToken {
  readonly proofs: readonly Pick<Proof, 'y'>[];
  /** True if DLEQ proofs show that the mint signed all of it (NUT-12). */
  readonly isSigned?: boolean | undefined;
}

/**
 * Limits the requests to one mint for tokens that bring no sats, once that mint limits ours. SECURITY: anybody can forge
 * tokens for free, and a mint counts requests by address. Without a share, forged tokens would use up what the mint allows
 * this wallet. Both methods throw `mint_error` or {@link MintError} `limited`, with the time to wait.
 */
export interface TokenShare {
  /** Takes a place for one request that brings no sats. */
  takeRequest(): void;
  /** Redeems a token. One that the mint signed and calls unspent has places of its own. */
  redeem(token: GivenToken, work: () => Promise<RunResult>): Promise<RunResult>;
}

const MINUTE_MS = 60_000;

/** A swap, the states and the signatures, and some of them once more. */
const REQUESTS_PER_REFUSED_TOKEN = 4;

/**
 * The requests that may bring no sats, until there was none for a minute: 60 % of Nutshell's default limit, whose count
 * resets then.
 */
const MOST_REQUESTS = 36;

/** The same with unspent tokens, because anybody can spend one while it's redeemed. The rest is the operator's. */
const MOST_REQUESTS_IF_UNSPENT = 48;

/**
 * How often the mint is asked about the signed tokens that wait. SECURITY: anybody can spend signed tokens first, for
 * free. However many of them there are, all cost one request together.
 */
const LOOK_EVERY_MS = 5_000;

/** So many proofs fit into one request. */
const MOST_PROOFS_IN_A_LOOK = 100;

/** Tokens that wait. SECURITY: each also takes a place among the requests that dot-mi handles. */
const MOST_WAITING = 32;
const MOST_WAITING_FOR_A_LOOK = 64;

const MOST_REFUSED_KEPT = 10_000;

/** How long a token waits for others to be decided. */
const LONGEST_WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

/** A signed token whose states the wallet doesn't know yet. */
interface Unseen {
  readonly ys: readonly string[];
  found(isUnspent: boolean): void;
  fail(error: unknown): void;
}

const tooMany = (retryAfterSeconds: number) =>
  new AppError(
    'mint_error',
    `This wallet just checked many tokens that were worth nothing, and the mint limits its requests. Nothing has changed. Try again in ${retryAfterSeconds} s, or send a token with DLEQ proofs, which can be checked without the mint.`,
    { retryAfterSeconds },
  );

export const createTokenShare = (
  clock: Clock,
  {
    isLimiting,
    openForMs,
    mint,
  }: Pick<MintWatch, 'isLimiting' | 'openForMs'> & { mint: Pick<Mint, 'states'> },
): TokenShare => {
  let taken = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  let reserved = 0;
  let waiting: (() => void)[] = [];
  const refused = new LRUCache<string, true>({ max: MOST_REFUSED_KEPT });

  /** Returns how long the count lasts, in ms, or 0. */
  const countedForMs = (): number => {
    const leftMs = takenAt + MINUTE_MS - clock.now();
    // The clock may have been set back.
    return leftMs > MINUTE_MS ? 0 : Math.max(0, leftMs);
  };

  const taking = () => (countedForMs() > 0 ? taken : 0);

  const take = (requests: number) => {
    taken = taking() + requests;
    takenAt = clock.now();
  };

  /** Returns how many more requests may run now. Throws if even later ones may not. */
  const requireRoom = (requests: number, isUnspent: boolean): number => {
    if (!isLimiting()) return Number.POSITIVE_INFINITY;
    const most = isUnspent ? MOST_REQUESTS_IF_UNSPENT : MOST_REQUESTS;
    const wanted = taking() + requests;
    if (wanted > most) throw tooMany(Math.ceil(countedForMs() / 1_000));
    // After a pause, the operator's requests and unspent tokens go first, and the others begin slowly.
    const earlyMs = (wanted / most) * MINUTE_MS - openForMs();
    if (!isUnspent && earlyMs > 0)
      throw new MintError('limited', 'The mint just limited requests.', { retryAfterMs: earlyMs });
    return most - taking() - reserved;
  };

  /** Reserves places, once enough other tokens turned out to be worth something. */
  const reserve = async (requests: number, isUnspent: boolean) => {
    const startedAt = clock.now();
    while (requireRoom(requests, isUnspent) < requests) {
      const isLate = Math.abs(clock.now() - startedAt) >= LONGEST_WAIT_MS;
      if (isLate || waiting.length >= MOST_WAITING) throw tooMany(RETRY_AFTER_SECONDS);
      await new Promise<void>((resolve) => {
        const cancel = clock.after(LONGEST_WAIT_MS, resolve);
        waiting.push(() => {
          cancel();
          resolve();
        });
      });
    }
    reserved += requests;
  };

  const free = (requests: number) => {
    reserved -= requests;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };

  /** Signed tokens that wait for the next look. */
  let unseen: Unseen[] = [];
  let isLooking = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const lookNow = async () => {
    lookedAt = clock.now();
    // Those with few proofs first, so that one with many takes no place of theirs.
    const waited = unseen.sort((a, b) => a.ys.length - b.ys.length);
    unseen = [];
    let proofs = 0;
    const seen = waited.filter(({ ys, fail }) => {
      proofs += ys.length;
      if (proofs > MOST_PROOFS_IN_A_LOOK) fail(tooMany(RETRY_AFTER_SECONDS));
      return proofs <= MOST_PROOFS_IN_A_LOOK;
    });
    try {
      const states = await mint.states(seen.flatMap(({ ys }) => ys));
      let at = 0;
      for (const { ys, found } of seen) {
        const own = states.slice(at, at + ys.length);
        at += ys.length;
        // No later answer makes it unspent.
        if (own.includes('SPENT')) for (const y of ys) refused.set(y, true);
        found(own.every((state) => state === 'UNSPENT'));
      }
    } catch (error) {
      // A mint that can't report states may still swap.
      const isUnknown = error instanceof MintError && ['refused', 'invalid'].includes(error.kind);
      for (const { found, fail } of seen) isUnknown ? found(false) : fail(error);
    }
  };

  const lookSoon = () => {
    if (isLooking || unseen.length === 0) return;
    isLooking = true;
    const end = () => {
      isLooking = false;
      lookSoon();
    };
    const begin = () => void lookNow().finally(end);
    // The clock may have been set back.
    const leftMs = Math.min(lookedAt + LOOK_EVERY_MS - clock.now(), LOOK_EVERY_MS);
    if (leftMs > 0) clock.after(leftMs, begin);
    else begin();
  };

  /** Returns whether the mint calls all of a signed token unspent. Asks about all tokens that wait at once. */
  const isUnspentOf = (ys: readonly string[]): Promise<boolean> => {
    if (unseen.length >= MOST_WAITING_FOR_A_LOOK) throw tooMany(RETRY_AFTER_SECONDS);
    return new Promise<boolean>((found, fail) => {
      unseen.push({ ys, found, fail });
      lookSoon();
    });
  };

  return {
    takeRequest() {
      if (requireRoom(1, false) < 1) throw tooMany(RETRY_AFTER_SECONDS);
      take(1);
    },

    async redeem({ proofs, isSigned = false }, work) {
      const places = REQUESTS_PER_REFUSED_TOKEN;
      const ys = proofs.map(({ y }) => y);
      const mayBeUnspent = isSigned && ys.length <= MOST_PROOFS_IN_A_LOOK && !ys.some((y) => refused.has(y));
      await reserve(places, mayBeUnspent && isLimiting() && (await isUnspentOf(ys)));
      const wasRefused = () => {
        take(REQUESTS_PER_REFUSED_TOKEN);
        for (const y of ys) refused.set(y, true);
      };
      try {
        const result = await work();
        const { state } = result.operation;
        if (state === 'failed') wasRefused();
        // Nobody knows yet what it is worth.
        if (state === 'pending') take(REQUESTS_PER_REFUSED_TOKEN);
        return result;
      } catch (error) {
        if (error instanceof TokenError) wasRefused();
        throw error;
      } finally {
        free(places);
      }
    },
  };
};
