import { LRUCache } from 'lru-cache';
import { AppError } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Proof, TokenError } from '../mint/mint.ts';
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
 * this wallet. Both methods throw `mint_error` with the time to wait.
 */
export interface TokenShare {
  /** Takes a place for one request that brings no sats. */
  takeRequest(): void;
  /** Redeems a token. One that the mint signed always has a place, unless the mint refused it before. */
  redeem(token: GivenToken, work: () => Promise<RunResult>): Promise<RunResult>;
}

const MINUTE_MS = 60_000;

/** A swap, the states and the signatures, and some of them once more. */
const REQUESTS_PER_REFUSED_TOKEN = 4;

/** The requests a minute that may bring no sats: 60 % of Nutshell's default limit. */
const MOST_REQUESTS = 36;

const MOST_REFUSED_KEPT = 1_000;

/** How long a token waits for others to be decided. */
const LONGEST_WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

const tooMany = (retryAfterSeconds: number) =>
  new AppError(
    'mint_error',
    `This wallet just checked many tokens that were worth nothing, and the mint limits its requests. Nothing has changed. Try again in ${retryAfterSeconds} s, or send a token with DLEQ proofs, which can be checked without the mint.`,
    { retryAfterSeconds },
  );

/** Creates a {@link TokenShare}. `isLimiting` returns whether the mint limits our requests. */
export const createTokenShare = (clock: Clock, isLimiting: () => boolean): TokenShare => {
  let taken: { at: number; requests: number }[] = [];
  let reserved = 0;
  let waiting: (() => void)[] = [];
  const refused = new LRUCache<string, true>({ max: MOST_REFUSED_KEPT });

  const prune = () => {
    const now = clock.now();
    // The clock may have been set back.
    taken = taken.filter(({ at }) => at > now - MINUTE_MS && at <= now);
  };

  const take = (requests: number) => {
    prune();
    taken.push({ at: clock.now(), requests });
  };

  /** Returns how many more requests may run now. Throws if even later ones may not. */
  const requireRoom = (requests: number): number => {
    if (!isLimiting()) return Number.POSITIVE_INFINITY;
    prune();
    const room = taken.reduce((left, each) => left - each.requests, MOST_REQUESTS);
    if (room >= requests) return room - reserved;
    const retryAfterSeconds = Math.max(1, Math.ceil(((taken[0]?.at ?? 0) + MINUTE_MS - clock.now()) / 1_000));
    throw tooMany(retryAfterSeconds);
  };

  /** Reserves places, once enough other tokens turned out to be worth something. */
  const reserve = async (requests: number) => {
    const startedAt = clock.now();
    while (requireRoom(requests) < requests) {
      if (Math.abs(clock.now() - startedAt) >= LONGEST_WAIT_MS) throw tooMany(RETRY_AFTER_SECONDS);
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

  return {
    takeRequest() {
      if (requireRoom(1) < 1) throw tooMany(RETRY_AFTER_SECONDS);
      take(1);
    },

    async redeem({ proofs, isSigned }, work) {
      const places = isSigned && !proofs.some(({ y }) => refused.has(y)) ? 0 : REQUESTS_PER_REFUSED_TOKEN;
      if (places > 0) await reserve(places);
      const wasRefused = () => {
        take(REQUESTS_PER_REFUSED_TOKEN);
        for (const { y } of proofs) refused.set(y, true);
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
