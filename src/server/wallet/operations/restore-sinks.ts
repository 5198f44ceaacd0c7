import type { Restored } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Mint, MintError, MOST_SATS, type Proof, type SignedCounter } from '../mint/mint.ts';
import type { PreparedSeed } from '../seed/seed.ts';
import { sumOf } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { CounterStep } from './counter-search.ts';
import { creditFound, statesOfFound, TOO_MANY_SATS } from './credit-found.ts';
import { inputLimit, smallerThan } from './read-token.ts';
import type { Receiver } from './receive.ts';
import { feeOf } from './selection.ts';

/** What a {@link FoundSink} needs. */
export interface FoundSinkParts {
  store: WalletStore;
  mint: Mint;
  receiver: Receiver;
  clock: Clock;
  /** Called when pending proofs were found, so that they're checked later. */
  onPending(): void;
}

/** Credits the proofs that a search finds. */
export interface FoundSink {
  /** Writes the found proofs together with the search position, so that a crash loses neither. */
  take(step: CounterStep): Promise<void>;
  /** Call after the last step of all keysets. Returns the keysets whose proofs the mint refused. */
  finish(): Promise<Restored['skipped']>;
  /** Returns the sats found so far, whether credited or not. */
  found(): number;
  /** Returns the sats credited so far. */
  amount(): number;
  result(): Omit<Restored, 'skipped'>;
}

/** Words that the wallet adopts. Call `record` in the transaction that writes their first operation. */
interface AdoptedSeed extends Omit<PreparedSeed, 'record'> {
  record(operation: number): void;
}

/** The most proofs that one swap holds when a search uses other backup words than the wallet's. */
export const SWEPT_AT_ONCE = 200;

/** Credits proofs found with the wallet's own backup words, all to one operation. */
const own = (
  { store, mint, clock, onPending }: FoundSinkParts,
  hash: string,
  { kind, operation }: { kind: 'restore' | 'recovered'; operation: number | undefined },
  onOperation: (number: number) => void,
): FoundSink => {
  let number = operation;
  let proofs = 0;
  const credited = () => (number === undefined ? 0 : (store.operations.get(number)?.amount ?? 0));
  const before = credited();
  const amount = () => credited() - before;
  /** Adds up the proofs that the wallet holds until the mint reports their final state. */
  const pending = () => store.proofs.foundUnconfirmed();
  const found = () => amount() + pending();
  return {
    async take({ found: signed, reached }) {
      const writePosition = () => {
        store.counters.setSearch(hash, reached);
        if (reached.lastSigned >= 0) {
          store.counters.markSigned(reached.keysetId, reached.lastSigned);
          store.counters.forgetReusableUpTo(reached.keysetId, reached.lastSigned);
        }
      };
      let isWritten = false;
      const added = await creditFound({ store, mint, clock }, signed, (sats) => {
        number ??= store.operations.addCompleted({ kind, amount: 0 });
        onOperation(number);
        store.operations.addToAmount(number, sats);
        writePosition();
        isWritten = true;
        return number;
      });
      proofs += added.credited.length;
      if (added.pending.length > 0) onPending();
      if (!isWritten) store.transaction(writePosition);
    },
    finish: async () => [],
    found,
    amount,
    result: () => ({
      found: found(),
      amount: amount(),
      pending: pending(),
      proofs,
      fee: 0,
      words: 'kept',
    }),
  };
};

/** Swaps proofs found with other backup words into this wallet, which keeps its own. */
const sweeping = ({ store, mint, receiver }: FoundSinkParts, hash: string): FoundSink => {
  /** The Ys of the found proofs, so that a retried step doesn't count any twice. */
  const found = new Set<string>();
  let foundSats = 0;
  /** Proofs that will be swapped, by their Y. */
  const waiting = new Map<string, Proof>();
  /** Proofs that the mint is still processing, by keyset and Y. */
  const processing = new Map<string, Map<string, Proof>>();
  /** The operations that swap them, with the number of proofs that each redeems. */
  const swaps = new Map<number, number>();
  let size = SWEPT_AT_ONCE;

  /** Adds up what the operations have credited so far. A pending one may complete while the search continues. */
  const sumUp = () => {
    const sums = { amount: 0, pending: 0, proofs: 0, fee: 0 };
    for (const [number, proofs] of swaps) {
      const operation = store.operations.get(number);
      if (operation?.state === 'pending') sums.pending += operation.amount;
      if (operation?.state !== 'completed') continue;
      sums.amount += operation.amount;
      sums.fee += operation.fee;
      sums.proofs += proofs;
    }
    return sums;
  };

  /** Skips a keyset that the mint refuses, so that the search of the others continues. */
  const skip = (reason: string): never => {
    waiting.clear();
    throw new MintError('refused', reason);
  };

  /** Returns false if the mint accepts fewer inputs. The next part is then smaller. */
  const sweep = async (part: Proof[]): Promise<boolean> => {
    const keysets = await mint.keysets(false);
    const cost = feeOf(part, keysets);
    if (cost === undefined) return skip('The mint no longer lists this keyset.');
    // The proofs aren't worth their own fee.
    if (sumOf(part) <= cost) return true;
    const prepared = { kind: 'restore', proofs: part, fee: cost, keysets } as const;
    const { operation, refusal } = await receiver.receive(prepared, () => undefined);
    if (operation.state === 'failed') {
      if (refusal === 'too_large') {
        size = Math.min(size, smallerThan(operation));
        if (Math.min(size, inputLimit(store)) < part.length) return false;
      }
      // Somebody spent some of them meanwhile, or the mint let go of some. The restorer swaps those later.
      if (refusal === 'inputs_spent' || refusal === 'inputs_pending') return true;
      return skip(operation.failure?.message ?? 'The mint refused the swap.');
    }
    swaps.set(operation.number, part.length);
    return true;
  };

  const most = () => Math.min(size, inputLimit(store));
  const sweepAll = async (proofs: Map<string, Proof>, atLeast: () => number) => {
    while (proofs.size >= atLeast()) {
      const part = [...proofs.values()].slice(0, most());
      if (!(await sweep(part))) continue;
      for (const { y } of part) proofs.delete(y);
    }
  };

  return {
    async take({ found: signed, reached, end }) {
      const states = await statesOfFound(
        mint,
        signed.map(({ proof }) => proof),
      );
      for (const [index, { proof }] of signed.entries()) {
        const operation = store.operations.takerOf(proof.y);
        const isSwapped = operation?.state === 'pending';
        // A completed operation belongs to an earlier search.
        if (operation ? !isSwapped : states[index] === 'SPENT') continue;
        if (!found.has(proof.y)) {
          // SECURITY: a mint can claim that it signed any amount.
          if (store.total() + foundSats + proof.amount > MOST_SATS) skip(TOO_MANY_SATS);
          found.add(proof.y);
          foundSats += proof.amount;
        }
        if (operation) swaps.set(operation.number, swaps.get(operation.number) ?? 0);
        else if (states[index] === 'UNSPENT') waiting.set(proof.y, proof);
        else processing.set(proof.id, (processing.get(proof.id) ?? new Map()).set(proof.y, proof));
      }
      await sweepAll(waiting, () => (end ? 1 : most()));
      // The proofs aren't safe yet, so a resumed search must find them again.
      if (waiting.size === 0 && processing.size === 0) store.counters.setSearch(hash, reached);
    },
    async finish() {
      const skipped: Restored['skipped'] = [];
      // These swaps stay pending until the mint lets go of the proofs, so nobody has to enter the words again. A repeated
      // call continues with the proofs that are left.
      for (const [keysetId, proofs] of processing) {
        try {
          await sweepAll(proofs, () => 1);
        } catch (error) {
          if (!(error instanceof MintError) || error.kind !== 'refused') throw error;
          skipped.push({ keysetId, reason: error.message });
        }
        processing.delete(keysetId);
      }
      return skipped;
    },
    found: () => foundSats,
    amount: () => sumUp().amount,
    result: () => ({ found: foundSats, ...sumUp(), words: 'kept' }),
  };
};

/**
 * Adopts the words with the first proof that the mint reports as unspent. If the wallet was used meanwhile, it keeps
 * its own words.
 */
const adopting = (
  parts: FoundSinkParts,
  hash: string,
  adopt: () => Promise<AdoptedSeed>,
  isEmpty: () => boolean,
): FoundSink => {
  const { store, mint } = parts;
  let sink: FoundSink | undefined;
  let words: Restored['words'] = 'kept';
  /** Proofs that the mint is still processing, until a sink takes them. */
  let processing: SignedCounter[] = [];
  /** The last step that found some of them. */
  let last: CounterStep | undefined;

  const takeOver = async (seed: AdoptedSeed): Promise<FoundSink> => {
    const number = store.transaction(() => {
      if (!isEmpty()) return undefined;
      const operation = store.operations.addCompleted({ kind: 'restore', amount: 0 });
      // The stored counters belong to the old words.
      store.counters.reset();
      store.counters.forgetReusable();
      for (const note of store.counters.elsewhere()) store.counters.forgetElsewhere(note);
      for (const { keysetId, lastSigned } of store.counters.searches(hash)) {
        if (lastSigned >= 0) store.counters.markSigned(keysetId, lastSigned);
      }
      seed.record(operation);
      return operation;
    });
    if (number === undefined) return sweeping(parts, hash);
    seed.use();
    words = 'replaced';
    return own(parts, hash, { kind: 'restore', operation: number }, () => undefined);
  };

  return {
    async take(step) {
      if (!sink) {
        const { found: signed, reached } = step;
        const states = await statesOfFound(
          mint,
          signed.map(({ proof }) => proof),
        );
        // Pending proofs may turn out to be spent, and words without sats must not replace the wallet's own.
        if (!states.includes('UNSPENT')) {
          processing.push(...signed.filter((_, index) => states[index] === 'PENDING'));
          // A resumed search must find these proofs again.
          if (processing.length === 0) store.counters.setSearch(hash, reached);
          else last = step;
          return;
        }
        sink = await takeOver(await adopt());
      }
      await sink.take({ ...step, found: [...processing, ...step.found] });
      processing = [];
    },
    async finish() {
      if (!sink && last) {
        const sweeper = sweeping(parts, hash);
        // By now, the mint may have let go of some. No step follows that would swap them.
        await sweeper.take({ ...last, found: processing, end: last.end ?? 'limit' });
        // If that fails, a repeated call starts over.
        sink = sweeper;
      }
      return sink?.finish() ?? [];
    },
    found: () => sink?.found() ?? sumOf(processing.map(({ proof }) => proof)),
    amount: () => sink?.amount() ?? 0,
    result: () => ({
      ...(sink?.result() ?? { found: 0, amount: 0, pending: 0, proofs: 0, fee: 0 }),
      words,
    }),
  };
};

/** The ways to credit what a search finds. */
export const createFoundSink = { own, sweeping, adopting };
