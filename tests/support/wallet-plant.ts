import { getDecodedToken } from '@cashu/cashu-ts';
import { systemClock } from '../../src/server/platform/clock.ts';
import { cashuCurve } from '../../src/server/wallet/mint/cashu-curve.ts';
import { createCashuMint, mnemonicSeed } from '../../src/server/wallet/mint/cashu-mint.ts';
import { createDeriver, makeOutput } from '../../src/server/wallet/mint/cashu-outputs.ts';
import type { Proof } from '../../src/server/wallet/mint/mint.ts';
import { openWalletDatabase, type WalletStore } from '../../src/server/wallet/store/wallet-store.ts';
import { askMint } from './mint/client.ts';
import { splitAmount } from './mint/issue.ts';
import { pointOfSecret } from './mint/keyset.ts';
import type { TestMint } from './mint/test-mint.ts';
import { databasePath } from './wallet.ts';

/** Opens the database of a closed wallet, as the store of its only mint. */
export const withStore = async <T>(directory: string, use: (store: WalletStore) => T): Promise<T> => {
  const database = await openWalletDatabase(await databasePath(directory), systemClock);
  try {
    const [mintUrl] = database.mintUrls();
    if (mintUrl === undefined) throw new Error('the wallet has no mint');
    return use(database.ofMint(mintUrl));
  } finally {
    database.close();
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

/** Puts tokens' proofs unchanged into a closed wallet, without a swap, as one receive. Returns their Ys. */
export const plantProofs = async (
  directory: string,
  mint: Pick<TestMint, 'keysets'>,
  tokens: readonly string[],
): Promise<string[]> => {
  const proofs = tokens.flatMap((token) => proofsOf(mint, token));
  const amount = proofs.reduce((sum, proof) => sum + proof.amount, 0);
  await withStore(directory, (store) =>
    store.transaction(() => {
      const number = store.operations.addCompleted({ kind: 'receive', amount });
      store.proofs.add(number, proofs);
    }),
  );
  return proofs.map(({ y }) => y);
};

/** Outputs that another copy of a wallet has signed: amounts of a keyset, from a counter of its words on. */
export interface SignedElsewhere {
  keysetId: string;
  counter: number;
  amounts: number[];
}

/** Lets the mint sign counters of words, as if another copy had received. Returns one token per proof. */
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

/**
 * Lets the mint sign counters of words on a keyset whose keys don't match its id, which {@link signElsewhere}
 * would refuse. Tokens of that keyset pay for the sats.
 */
export const signUnverified = async (
  mint: Pick<TestMint, 'url' | 'issue' | 'keysets'>,
  words: string,
  { keysetId, counter, amounts }: SignedElsewhere,
): Promise<void> => {
  const derive = createDeriver(cashuCurve, await mnemonicSeed(words), keysetId);
  const outputs = amounts.map(
    (amount, at) => makeOutput(cashuCurve, keysetId, amount, derive(counter + at)).blindedMessage,
  );
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const inputs = proofsOf(mint, mint.issue(total, { keysetId, withoutDleq: true }));
  const { status } = await askMint(mint.url, '/v1/swap', {
    inputs: inputs.map(({ id, amount, secret, C }) => ({ id, amount, secret, C })),
    outputs: outputs.map((output) => ({ ...output, amount: Number(output.amount) })),
  });
  if (status !== 200) throw new Error(`the mint answered the swap with ${status}`);
};

/** A token that is worth an amount after its fee. */
const payFor = (mint: Pick<TestMint, 'issue'>, keysetId: string, amount: number, ppk: number): string => {
  let fee = 0;
  while (Math.ceil((splitAmount(amount + fee).length * ppk) / 1000) !== fee) fee += 1;
  return mint.issue(amount + fee, { keysetId, withoutDleq: true });
};
