import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../src/server/platform/clock.ts';
import type { Proof } from '../../src/server/wallet/mint/mint.ts';
import { openWalletDatabase, type WalletStore } from '../../src/server/wallet/store/wallet-store.ts';
import { createRandom } from './make-text.ts';

/** What a wallet is filled with. */
export interface Filling {
  operations: number;
  /** Charges that nobody has paid yet. */
  openCharges: number;
  /** At most one of each operation. */
  proofs: number;
  keysetId: string;
}

const INPUTS_A_RECEIVE = 3;
/** Every tenth is a send; its token was redeemed long ago, so that the history does not ask the mint of it. */
const isSend = (i: number) => i % 10 === 9;
const ROWS_A_TRANSACTION = 10_000;
const HIGHEST_POWER = 12;
const DAY_SECONDS = 24 * 60 * 60;

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const randomPoint = () => `02${hex(32)}`;

const makeProof = (id: string, amount: number): Proof => ({
  id,
  amount,
  secret: hex(32),
  C: randomPoint(),
  y: randomPoint(),
});

const addReceive = (store: WalletStore, amount: number) => {
  const number = store.operations.addCompleted({ kind: 'receive', amount });
  store.operations.addInputs(number, Array.from({ length: INPUTS_A_RECEIVE }, randomPoint));
  return number;
};

const addSend = (store: WalletStore, amount: number, keysetId: string) => {
  const plan = { keysetId, inputs: [], keep: [], send: [] };
  const { number } = store.operations.add({ kind: 'send', amount, fee: 0, plan });
  store.operations.complete(number, { amount, fee: 0 }, `cashuB${randomBytes(300).toString('base64url')}`);
  store.operations.addSent(number, [randomPoint(), randomPoint()]);
  store.operations.markSpent(number, false);
  return number;
};

/**
 * Fills the wallet that a server made in `directory` with operations that ended, proofs that are free and charges that
 * are open, as years of use would. No server may run on it. The proofs are worth nothing at any mint.
 */
export const fillWallet = async (
  directory: string,
  { operations, openCharges, proofs, keysetId }: Filling,
): Promise<void> => {
  const database = await openWalletDatabase(join(directory, 'wallet.sqlite'), systemClock);
  const [mintUrl] = database.mintUrls();
  if (mintUrl === undefined) throw new Error(`${directory} has no wallet; a server makes it`);
  const store = database.ofMint(mintUrl);
  const random = createRandom(operations);
  const addOne = (i: number) => {
    const amount = 2 ** Math.floor(random() * HIGHEST_POWER);
    const number = isSend(i) ? addSend(store, amount, keysetId) : addReceive(store, amount);
    if (i < proofs) store.proofs.add(number, [makeProof(keysetId, amount)]);
  };
  try {
    for (let first = 0; first < operations; first += ROWS_A_TRANSACTION) {
      store.transaction(() => {
        for (let i = first; i < Math.min(first + ROWS_A_TRANSACTION, operations); i++) addOne(i);
      });
    }
    store.transaction(() => {
      for (let i = 0; i < openCharges; i++)
        store.charges.add(
          {
            owner: 'operator',
            requestHash: hex(32),
            amount: 5,
            ttlSeconds: DAY_SECONDS,
            holdSeconds: DAY_SECONDS,
          },
          { paymentRequest: 'creqA', faceValue: 5 },
        );
    });
    store.counters.advance(keysetId, proofs);
  } finally {
    database.close();
  }
};
