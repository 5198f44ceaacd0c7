import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mint, ProofState } from '../mint/mint.ts';
import { ASK_AWAY_MINT_MS, isMintAway } from '../mint/mint-watch.ts';
import { sumOf } from '../store/operation.ts';
import type { DueProof } from '../store/proofs-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { DueQueue } from './due-queue.ts';
import { SPENT_RECHECK_MS } from './ledger.ts';

/** Keeps the balance correct by checking all of the wallet's proofs with the mint, even those that aren't free yet. */
export interface ProofChecks {
  /**
   * Checks all free proofs, and sets aside those that the mint doesn't report as unspent. Rejects with `MintError`.
   * Stops when `mayContinue` returns false, and the next call resumes.
   */
  checkFree(mayContinue?: () => boolean): Promise<void>;
  /** Returns whether the last check was interrupted, so that another call must resume it. */
  isInterrupted(): boolean;
  /** Like `checkFree`, and also checks the proofs that were set aside. Rejects with `MintError`. */
  checkNow(): Promise<void>;
  /** Call this when free proofs may have been spent. They don't count as confirmed until the next check. */
  doubt(): void;
  /**
   * When the mint last confirmed all free proofs, in milliseconds since 1970. Undefined until the first time after
   * startup.
   */
  checkedAt(): number | undefined;
  /** Call this after proofs were set aside, so that they're checked in time. */
  schedule(): void;
  /** Resolves when the current check has ended. */
  ended(): Promise<unknown>;
}

interface ProofChecksParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  logger: Logger;
  queue: DueQueue;
  /** How long a proof must look spent before it counts as spent. */
  confirmAfterMs: number;
  /** Returns how long the mint wants us to wait, in ms, or 0. */
  pausedForMs(): number;
  /** Swaps proofs that the mint refused. Returns those of which the mint still refuses at least one. */
  trySwap(ys: readonly string[]): Promise<string[][]>;
  /** Called after proofs changed state, or the mint confirmed them. */
  onChange(): void;
}

/** The limit for Ys in one request. Many mints don't accept more (NUT-07). */
const BATCH = 100;
const AFTER_FAILURE_MS = 60_000;
/** How often to check a pending proof. The longer it has been pending, the less often. */
const SHORTEST_PENDING_MS = 5_000;
const LONGEST_PENDING_MS = 10 * 60_000;
const REFUSED_RECHECK_MS = 60 * 60_000;
/** No check is scheduled later than this, unless the clock was ahead. */
const LONGEST_RECHECK_MS = SPENT_RECHECK_MS;
/** How long a proof that counts as spent is still checked before it's deleted. */
const SPENT_KEPT_MS = 7 * 24 * 60 * 60_000;

/** Returns whether a search found this proof. The history counts such a proof once it's known to be unspent. */
const isFound = ({ why }: DueProof): boolean => why === 'found' || why === 'found_spent';

export const createProofChecks = ({
  store,
  mint,
  clock,
  logger,
  queue,
  confirmAfterMs,
  pausedForMs,
  trySwap,
  onChange,
}: ProofChecksParts): ProofChecks => {
  const { operations, proofs } = store;
  let checkedAt: number | undefined;
  /** The position of an interrupted check, and when it began. */
  let interrupted: { after: string; startedAt: number } | undefined;
  let working: Promise<unknown> = Promise.resolve();

  const pendingCheckAt = (since: number): number => {
    const ageMs = clock.now() - since;
    return clock.now() + Math.min(Math.max(ageMs / 2, SHORTEST_PENDING_MS), LONGEST_PENDING_MS);
  };

  const askFree = async (mayContinue?: () => boolean) => {
    let { after, startedAt } = (mayContinue && interrupted) ?? { after: '', startedAt: clock.now() };
    for (;;) {
      if (mayContinue?.() === false) {
        interrupted = { after, startedAt };
        return;
      }
      const ys = proofs.freeYsAfter(after, BATCH);
      const last = ys.at(-1);
      if (last === undefined) break;
      after = last;
      const states = await mint.states(ys);
      const having = (state: ProofState) => ys.filter((_, index) => states[index] === state);
      const now = clock.now();
      const setAside = store.transaction(
        () =>
          proofs.setAside(having('SPENT'), 'spent', now, now + confirmAfterMs) +
          proofs.setAside(having('PENDING'), 'pending', now, now + SHORTEST_PENDING_MS),
      );
      if (setAside > 0) {
        logger.warn({ sats: setAside }, 'the mint does not call all free proofs unspent');
        onChange();
      }
    }
    interrupted = undefined;
    checkedAt = startedAt;
    onChange();
  };

  /** Frees proofs that turned out to be unspent. */
  const free = (unspent: readonly DueProof[]) => {
    for (const proof of unspent) if (isFound(proof)) operations.addToAmount(proof.operation, proof.amount);
    proofs.confirm(unspent.filter(({ why }) => why !== undefined).map(({ y }) => y));
    const revived = unspent.filter(({ why }) => why === undefined);
    if (revived.length === 0) return;
    const number = operations.addCompleted({ kind: 'recovered', amount: sumOf(revived) });
    proofs.revive(
      number,
      revived.map(({ y }) => y),
    );
  };

  /** Counts proofs as spent after the mint reported them as spent twice. */
  const writeOff = (spent: readonly DueProof[]) => {
    if (spent.length === 0) return;
    logger.warn({ sats: sumOf(spent) }, 'another copy of this wallet spent some of its proofs');
    const number = operations.addCompleted({ kind: 'spent_elsewhere', amount: sumOf(spent) });
    const now = clock.now();
    proofs.writeOff(
      number,
      spent.map(({ y }) => y),
      now,
      now + SPENT_RECHECK_MS,
    );
  };

  /** Writes the states that the mint reported. Returns unspent proofs that the mint refused before. */
  const note = (checkedProofs: readonly DueProof[], states: readonly ProofState[]): DueProof[] => {
    const now = clock.now();
    const stateOf = new Map(checkedProofs.map(({ y }, index) => [y, states[index]]));
    // An operation may have decided about some proofs since the request.
    const due = proofs.stillDue(checkedProofs);
    const having = (state: ProofState) => due.filter(({ y }) => stateOf.get(y) === state);
    const unspent = having('UNSPENT');
    const refused = unspent.filter(({ why }) => why === 'refused');
    free(unspent.filter(({ why }) => why !== 'refused'));
    const spent = having('SPENT');
    writeOff(spent.filter(({ why, since }) => why === 'spent' && now - since >= confirmAfterMs));
    for (const { y, why, since } of spent) {
      const isTwice = now - since >= confirmAfterMs;
      if (why === undefined && now - since >= SPENT_KEPT_MS) proofs.forget([y]);
      else if (why === undefined) proofs.checkAgain(y, now + SPENT_RECHECK_MS);
      // The history never counted this proof.
      else if (why === 'found_spent' && isTwice) proofs.forget([y]);
      else if (why !== 'spent' && why !== 'found_spent')
        proofs.checkAgain(y, now + confirmAfterMs, {
          why: why === 'found' ? 'found_spent' : 'spent',
          since: now,
        });
      else if (!isTwice) proofs.checkAgain(y, since + confirmAfterMs);
    }
    for (const { y, why, since } of having('PENDING')) {
      if (why === undefined) proofs.checkAgain(y, now + SPENT_RECHECK_MS);
      else if (why === 'pending' || why === 'found') proofs.checkAgain(y, pendingCheckAt(since));
      else {
        const again = why === 'found_spent' ? 'found' : 'pending';
        proofs.checkAgain(y, now + SHORTEST_PENDING_MS, { why: again, since: now });
      }
    }
    for (const { y } of refused) proofs.checkAgain(y, now + REFUSED_RECHECK_MS);
    return refused;
  };

  /** Checks the proofs that are due at a given time. */
  const askDue = async (at: number) => {
    const refused: DueProof[] = [];
    const checkedYs = new Set<string>();
    for (;;) {
      const due = proofs.due(at, BATCH).filter(({ y }) => !checkedYs.has(y));
      if (due.length === 0 || queue.isStopped()) break;
      for (const { y } of due) checkedYs.add(y);
      const states = await mint.states(due.map(({ y }) => y));
      refused.push(...store.transaction(() => note(due, states)));
      onChange();
    }
    await swapRefused(refused.map(({ y }) => y));
  };

  /**
   * Swaps refused proofs together, so that one false refusal costs one fee. If the mint refuses again, tries each half,
   * until only the proofs are left that it really refuses. Those wait for an hour.
   */
  const swapRefused = async (ys: readonly string[]): Promise<void> => {
    if (ys.length === 0 || queue.isStopped()) return;
    for (const refused of await trySwap(ys)) {
      for (const y of refused) proofs.checkAgain(y, clock.now() + REFUSED_RECHECK_MS);
      if (refused.length === 1) continue;
      const middle = Math.ceil(refused.length / 2);
      await swapRefused(refused.slice(0, middle));
      await swapRefused(refused.slice(middle));
    }
  };

  /** Runs one check at a time. */
  const oneAtATime = <T>(task: () => Promise<T>): Promise<T> => {
    const done = working.then(task, task);
    // The task's caller gets the error.
    working = done.catch(() => undefined);
    return done;
  };

  const kind = queue.add('proof checks', {
    dueAt() {
      proofs.pullForward(clock.now(), clock.now() + LONGEST_RECHECK_MS);
      return proofs.nextDueAt();
    },
    work: () => oneAtATime(() => askDue(clock.now())),
    longestMs: LONGEST_RECHECK_MS,
    restsForMs: pausedForMs,
    retryMs: (error) => (isMintAway(error) ? ASK_AWAY_MINT_MS : AFTER_FAILURE_MS),
  });

  return {
    checkFree: (mayContinue) =>
      oneAtATime(() => askFree(mayContinue)).finally(() => {
        kind.changed();
      }),
    isInterrupted: () => interrupted !== undefined,
    checkNow: () =>
      oneAtATime(async () => {
        await askFree();
        await askDue(Number.MAX_SAFE_INTEGER);
      }).finally(() => {
        kind.changed();
      }),
    doubt() {
      checkedAt = undefined;
      onChange();
    },
    checkedAt: () => checkedAt,
    schedule: kind.changed,
    ended: () => working,
  };
};
