import type { Restored } from '../../shared/api/wallet.ts';
import { AppError } from '../platform/app-error.ts';
import type { Proof } from './mint.ts';
import type { Engine } from './redeem.ts';
import { parseMnemonic, type Seed } from './seed.ts';

/** Counters asked for in one request (NUT-13 suggests 100; mints take this many). */
const BATCH = 200;

/**
 * So many counters in a row without a signature end the search. Counters that were used for swaps which the mint refused stay
 * unsigned, so the gap must be wide.
 */
const GAP = 1_000;

interface Found {
  keysetId: string;
  proofs: Proof[];
  nextCounter: number;
}

const notEmpty = () =>
  new AppError(
    'wallet_not_empty',
    'Only an empty wallet can be restored; send its sats out first, and wait for what is pending.',
  );

/** Restores an empty wallet from words: every keyset the mint lists, inactive ones too, spent proofs left out. */
export const restoreFromWords = async (
  { store, mint, recovery, onChange }: Pick<Engine, 'store' | 'mint' | 'recovery' | 'onChange'>,
  seed: Seed,
  words: string,
): Promise<Restored> => {
  const mnemonic = await parseMnemonic(words);
  if (mnemonic === undefined) {
    throw new AppError(
      'invalid_mnemonic',
      'These are not the words of a wallet: 12 (or up to 24) words of the English BIP-39 list, in their order.',
    );
  }
  const requireEmpty = () => {
    if (store.balance() > 0 || store.hasUnfinished()) throw notEmpty();
  };
  requireEmpty();

  const search = async (keysetId: string): Promise<Found> => {
    const proofs: Proof[] = [];
    let nextCounter = 0;
    for (let from = 0; from < nextCounter + GAP; from += BATCH) {
      const batch = await mint.scan(keysetId, mnemonic, from, BATCH);
      proofs.push(...batch.proofs);
      if (batch.lastCounter !== undefined) nextCounter = batch.lastCounter + 1;
    }
    return { keysetId, proofs, nextCounter };
  };

  const found: Found[] = [];
  for (const { id } of (await mint.keysets(true)).all) found.push(await search(id));

  const all = found.flatMap(({ proofs }) => proofs);
  const states = await mint.states(all.map(({ y }) => y));
  const unspent = all.filter((_, index) => states[index] === 'UNSPENT');
  const pending = all.filter((_, index) => states[index] === 'PENDING');
  const amount = unspent.reduce((sum, proof) => sum + proof.amount, 0);

  const prepared = await seed.prepare(mnemonic);
  const operation = store.transaction(() => {
    requireEmpty();
    const written = store.addOperation({ kind: 'restore', amount, fee: 0, expected: 0 }, true);
    store.addProofs(written.number, unspent);
    // Not spendable now; recovery finds out what becomes of them.
    store.addProofs(written.number, pending, written.number);
    for (const { keysetId, nextCounter } of found) store.advanceCounter(keysetId, nextCounter);
    store.forgetSpareCounters();
    prepared.record();
    return written;
  });
  prepared.use();
  onChange(operation);
  if (pending.length > 0) recovery.schedule();
  return { amount, proofs: unspent.length };
};
