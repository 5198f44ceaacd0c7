import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  type Mint,
  MintError,
  MOST_SATS,
  type Proof,
  type ProofState,
  type SwapResult,
} from '../mint/mint.ts';
import { type Operation, type PendingOperation, reclaimedSend, sumOf } from '../store/operation.ts';
import type { OldPlan } from '../store/operations-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { TOO_MANY_SATS } from './credit-found.ts';
import type { OnStep, Refused } from './decide.ts';
import { noteRandomProofs } from './outputs.ts';
import { isOfOwnProofs, ownTokenFailure, refusedFailure } from './problems.ts';

/** Writes how operations end, and updates the balance with them. */
export interface Ledger {
  /**
   * Credits an operation's proofs. Rejects with `MintError` if the mint can't be reached, or if the wallet would hold more
   * sats than exist.
   *
   * - `isReplayed`: the mint may have carried it out earlier, so only proofs it reports as unspent become free
   *   (NUT-07).
   * - `sums`: the plan that the mint carried out, with its sums, if it may be an older one.
   */
  complete(
    operation: Operation,
    result: SwapResult,
    options: { isReplayed: boolean; sums?: OldPlan | undefined },
  ): Promise<void>;
  /** Writes that an operation failed, and frees its proofs. */
  fail(operation: PendingOperation, refused: Refused): void;
}

interface LedgerParts {
  store: WalletStore;
  mint: Mint;
  clock: Clock;
  logger: Logger;
  onStep: OnStep;
  /** Called after proofs may have become unconfirmed, so that the wallet checks them with the mint again. */
  onSetAside(): void;
  /** Called after proofs arrived that backup words can't restore, because their secrets are random. */
  onRandom(): void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * When to recheck a failure that the mint never confirmed, then every six hours for seven days. If a mint's
 * restore lags, a send must not lose its random outputs.
 */
const RECHECK_AFTER_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS] as const;
/** The longest time between two rechecks. */
export const LONGEST_RECHECK_MS = 6 * HOUR_MS;
const RECHECKS = RECHECK_AFTER_MS.length + (7 * 24 * HOUR_MS) / LONGEST_RECHECK_MS;

/** Returns when an operation's next recheck is due, in milliseconds since 1970. Undefined after the last one. */
export const nextRecheckAt = (rechecksDone: number, nowMs: number): number | undefined =>
  rechecksDone >= RECHECKS ? undefined : nowMs + (RECHECK_AFTER_MS[rechecksDone] ?? LONGEST_RECHECK_MS);

/** When a proof that counts as spent is checked again, because a mint can be wrong. */
export const SPENT_RECHECK_MS = 6 * HOUR_MS;

export const createLedger = ({
  store,
  mint,
  clock,
  logger,
  onStep,
  onSetAside,
  onRandom,
}: LedgerParts): Ledger => {
  const { operations, proofs, postings } = store;

  /**
   * Adds a row to the history for sats that an operation counts, but that arrived or left another way, so that the
   * history always adds up to what the wallet holds.
   */
  const offset = (kind: 'recovered' | 'spent_elsewhere', amount: number, operation: number) => {
    if (amount <= 0) return;
    const number = operations.addCompleted({ kind, amount });
    const sats = kind === 'recovered' ? amount : -amount;
    for (const [of, more] of [
      [number, sats],
      [operation, -sats],
    ] as const)
      postings.post(of, [
        { account: 'free', sats: more },
        { account: 'outside', sats: -more },
      ]);
  };

  const statesOf = async (kept: readonly Proof[], isReplayed: boolean): Promise<ProofState[]> =>
    isReplayed && kept.length > 0 ? mint.states(kept.map(({ y }) => y)) : kept.map(() => 'UNSPENT' as const);

  /** Removes an operation's inputs, which the mint accepted. */
  const takeInputs = ({ number, kind }: Operation, inputs: readonly Proof[], hadFailed: boolean) => {
    const ys = inputs.map(({ y }) => y);
    if (isOfOwnProofs(kind)) {
      if (!hadFailed) proofs.removeHeld(number);
      // The operation had failed, so its inputs may have been written off, or another operation reserves them and
      // will find them spent.
      else offset('recovered', sumOf(inputs) - proofs.remove(number, ys), number);
      return;
    }
    operations.claimInputs(number, ys);
    // An outside token may also contain our proofs, if someone with our words exported them.
    const own = proofs.valueOf(ys, ['free', 'unconfirmed']);
    if (own === 0) return;
    const loss = operations.addCompleted({ kind: 'spent_elsewhere', amount: own });
    proofs.writeOff(loss, ys, clock.now(), clock.now() + SPENT_RECHECK_MS);
  };

  return {
    async complete(operation, { keep, send }, { isReplayed, sums }) {
      const { number, kind } = operation;
      const subject = reclaimedSend(operation);
      const plan = sums?.plan ?? ('plan' in operation ? operation.plan : undefined);
      const isRandom = keep.length > 0 && plan !== undefined && !plan.counters;
      // A customer gets change in a header, which proxies limit to 4 KB, and swaps it at once.
      const isChange = store.charges.paymentOfChange(number) !== undefined;
      const given = isChange ? send.map(({ dleq: _dleq, ...proof }) => proof) : send;
      const token = send.length > 0 ? await mint.encode(given, operation.memo) : undefined;
      const states = await statesOf(keep, isReplayed);
      const having = (state: ProofState) => keep.filter((_, index) => states[index] === state);
      store.transaction(() => {
        const hadFailed = operations.get(number)?.state === 'failed';
        if (!operations.complete(number, sums ?? operation, token)) return;
        takeInputs(operation, plan?.inputs ?? [], hadFailed);
        const unknown = (list: readonly Proof[]) => list.filter(({ y }) => !proofs.has(y));
        const [unspent, pending, spent] = [
          unknown(having('UNSPENT')),
          unknown(having('PENDING')),
          unknown(having('SPENT')),
        ];
        const added = sumOf([...unspent, ...pending, ...spent]);
        // SECURITY: only now is it certain that the mint signed them. Their operation waits until there's room.
        if (!isOfOwnProofs(kind) && added > 0 && store.total() + added > MOST_SATS)
          throw new MintError('invalid', TOO_MANY_SATS);
        proofs.add(number, unspent);
        // Not free yet. The proof checks decide later.
        proofs.add(number, pending, { why: 'pending', at: clock.now() });
        proofs.add(number, spent, { why: 'spent', at: clock.now() });
        if (isRandom)
          noteRandomProofs(
            store,
            keep.map(({ y }) => y),
          );
        // A search already credited the other proofs.
        offset('spent_elsewhere', sumOf(keep) - added, number);
        if (plan?.counters && plan.counters.count > 0) {
          store.counters.markSigned(plan.keysetId, plan.counters.start + plan.counters.count - 1);
        }
        operations.addSent(
          number,
          send.map(({ y }) => y),
        );
        if (subject !== undefined) operations.markSpent(subject, true);
      });
      onSetAside();
      if (isRandom) onRandom();
      onStep('operation-completed');
      logger.info({ operation: operation.id, kind }, 'operation completed');
    },

    fail(operation, refused) {
      const { certainty, why, spent = [], pending = [], unsigned = false, collision = false } = refused;
      const { number, kind, plan } = operation;
      const subject = reclaimedSend(operation);
      const inputs = plan?.inputs.map(({ y }) => y) ?? [];
      const taker = why === 'inputs_spent' ? operations.ofInput(inputs) : undefined;
      const isOurs = taker?.state === 'completed' && kind === 'receive';
      const failure = isOurs ? ownTokenFailure(taker) : refusedFailure(refused, kind);
      // The mint signed for another copy of the wallet. Only random outputs, which are ours, are worth requesting again.
      const isAnothers = collision && plan?.send.length === 0 && plan.counters !== undefined;
      // The mint may have carried out an older plan.
      const isConfirmed = (certainty === 'final' || isAnothers) && operations.oldPlans(number).length === 0;
      const now = clock.now();
      store.transaction(() => {
        if (!operations.fail(number, failure, isConfirmed ? undefined : nextRecheckAt(0, now))) return;
        operations.freeInputs(number);
        proofs.releaseHeld(number);
        // The balance counts only those of our proofs that the mint reports as unspent.
        for (const [ys, why] of [
          [spent, 'spent'],
          [pending, 'pending'],
          [refused.refused ?? [], 'refused'],
        ] as const)
          proofs.setAside(ys, why, now, now);
        const { keysetId, counters } = plan ?? {};
        if (unsigned && keysetId !== undefined && counters && counters.count > 0) {
          store.counters.reuse(keysetId, counters);
        }
        if (subject !== undefined && spent.length === plan?.inputs.length)
          operations.markSpent(subject, false);
      });
      store.failedReceives.forget();
      onSetAside();
      onStep('operation-failed');
      logger.info({ operation: operation.id, kind, why }, 'operation failed');
    },
  };
};
