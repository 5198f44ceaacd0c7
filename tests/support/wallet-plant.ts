import { getDecodedToken } from '@cashu/cashu-ts';
import { systemClock } from '../../src/server/platform/clock.ts';
import { createCashuMint } from '../../src/server/wallet/cashu-mint.ts';
import type { Proof } from '../../src/server/wallet/mint.ts';
import { openDatabase } from '../../src/server/wallet/sqlite.ts';
import { WALLET_MIGRATIONS } from '../../src/server/wallet/wallet-schema.ts';
import { createWalletStore, type WalletStore } from '../../src/server/wallet/wallet-store.ts';
import { pointOfSecret } from './mint/keyset.ts';
import type { TestMint } from './mint/test-mint.ts';
import { databasePath } from './wallet.ts';

/** Opens the database of a closed wallet. */
export const withStore = async <T>(directory: string, use: (store: WalletStore) => T): Promise<T> => {
  const store = createWalletStore(
    await openDatabase(await databasePath(directory), WALLET_MIGRATIONS),
    systemClock,
  );
  try {
    return use(store);
  } finally {
    store.close();
  }
};

const proofsOf = (mint: Pick<TestMint, 'keysets'>, token: string): Proof[] =>
  getDecodedToken(
    token,
    mint.keysets().map(({ id }) => id),
  ).proofs.map(({ id, amount, secret, C }) => ({
    id,
    amount: amount.toNumber(),
    secret,
    C,
    y: pointOfSecret(secret).toHex(true),
  }));

/** Puts the proofs of tokens into a closed wallet as they are, without a swap, as one receive. Returns their Ys. */
export const plantProofs = async (
  directory: string,
  mint: Pick<TestMint, 'keysets'>,
  tokens: readonly string[],
): Promise<string[]> => {
  const proofs = tokens.flatMap((token) => proofsOf(mint, token));
  const amount = proofs.reduce((sum, proof) => sum + proof.amount, 0);
  await withStore(directory, (store) =>
    store.transaction(() => {
      const { number } = store.addOperation({ kind: 'receive', amount, fee: 0, expected: 0 }, true);
      store.addProofs(number, proofs);
    }),
  );
  return proofs.map(({ y }) => y);
};

/** What another copy of a wallet may sign: amounts of a keyset, from a counter of its words on. */
export interface SignedElsewhere {
  keysetId: string;
  counter: number;
  amounts: number[];
}

/** Lets the mint sign counters of words, as if another copy of the wallet had received. Returns one token for each proof. */
export const signElsewhere = async (
  mint: Pick<TestMint, 'url' | 'issue'>,
  words: string,
  signed: readonly SignedElsewhere[],
): Promise<string[]> => {
  const copy = createCashuMint(mint.url);
  const tokens: string[] = [];
  for (const { keysetId, counter, amounts } of signed) {
    const keep = await copy.deterministicOutputs(keysetId, amounts, words, counter);
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const { all } = await copy.keysets(false);
    const ppk = all.find(({ id }) => id === keysetId)?.inputFeePpk ?? 0;
    const inspected = await copy.inspect(payFor(mint, keysetId, total, ppk));
    if ('refusal' in inspected) throw new Error(`the token was refused: ${inspected.refusal}`);
    const result = await copy.swap({ keysetId, inputs: inspected.opened.proofs, keep, send: [] });
    for (const proof of result.keep) tokens.push(await copy.encode([proof], undefined));
  }
  await copy.close();
  return tokens;
};

/** A token that is worth an amount after the fee for it. */
const payFor = (mint: Pick<TestMint, 'issue'>, keysetId: string, amount: number, ppk: number): string => {
  for (let fee = 0; ; fee++) {
    const token = mint.issue(amount + fee, { keysetId, withoutDleq: true });
    const count = getDecodedToken(token, [keysetId]).proofs.length;
    if (Math.ceil((count * ppk) / 1000) === fee) return token;
  }
};
