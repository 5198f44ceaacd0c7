import { createSigner } from './mint/cashu-signer.ts';
import type { Curve } from './mint/curve.ts';
import { MintError } from './mint/mint.ts';
import type { MintApi } from './mint/mint-api.ts';
import { type Migration, openDatabase } from './store/sqlite.ts';

/** The mint of test money. Names that end in `.invalid` are reserved (RFC 2606), so no wallet can reach it. */
export const TEST_MINT = 'https://test-money.invalid';

/** NUT error codes (`error_codes.md`). */
const PROOF_INVALID = 10_001;
const SPENT = 11_001;
const SIGNED = 11_003;
const NOT_BALANCED = 11_005;

/** The mint's books: the spent proofs by their Y, and the signed outputs by their `B_`. */
const BOOKS: readonly Migration[] = [
  `
  CREATE TABLE spent (y TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE signed (b TEXT PRIMARY KEY, amount INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
];

const refusal = (mintCode: number, message: string): MintError =>
  new MintError('refused', message, { status: 400, mintCode });

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);

/**
 * Opens the mint of test money, with its books in a file. It answers as a real mint's API does, but it's in this process.
 * Its keys depend only on `secret`.
 *
 * Like a real mint, it writes what it did to disk before it answers. Unlike a real one, it gives away sats: a swap without
 * inputs signs any outputs.
 */
export const openTestMoneyMint = async (path: string, secret: string, curve: Curve): Promise<MintApi> => {
  const books = await openDatabase(path, BOOKS);
  const signer = createSigner(secret, curve);
  const isSpent = (y: string) => books.get('SELECT 1 FROM spent WHERE y = ?', y) !== undefined;
  const signedAmount = (b: string) =>
    books.get<{ amount: number }>('SELECT amount FROM signed WHERE b = ?', b)?.amount;
  const listed = () => ({ ...signer.keyset(), unit: 'sat', isReadable: true });

  return {
    keysets: async () => [listed()],
    keys: async () => [listed()],
    info: async () => ({ info: {}, supportsDleq: true, lacks: [], mostItems: undefined }),

    async swap(inputs, outputs) {
      const ys = inputs.map(({ secret: text }) => curve.hashToCurve(text));
      if (!inputs.every((proof, at) => signer.isSigned(proof, ys[at] ?? '')))
        throw refusal(PROOF_INVALID, 'The mint didn’t sign one of the proofs.');
      const messages = outputs.map(({ blindedMessage }) => blindedMessage);
      const amounts = messages.map(({ amount }) => Number(amount));
      if (inputs.length > 0 && sumOf(inputs.map(({ amount }) => amount)) !== sumOf(amounts))
        throw refusal(NOT_BALANCED, 'The inputs and outputs have different amounts.');
      const signatures = messages.map(signer.sign);
      books.transaction(() => {
        if (ys.some(isSpent)) throw refusal(SPENT, 'One of the proofs is already spent.');
        if (messages.some(({ B_ }) => signedAmount(B_) !== undefined))
          throw refusal(SIGNED, 'One of the outputs is already signed.');
        for (const y of ys) books.run('INSERT INTO spent VALUES (?)', y);
        for (const { B_, amount } of messages)
          books.run('INSERT INTO signed VALUES (?, ?)', B_, Number(amount));
      });
      return signatures;
    },

    states: async (ys) => ys.map((y) => (isSpent(y) ? 'SPENT' : 'UNSPENT')),

    restore: async (outputs) =>
      outputs.flatMap(({ blindedMessage: { B_, id } }) => {
        const amount = signedAmount(B_);
        if (amount === undefined) return [];
        return [{ blinded: B_, signature: signer.sign({ B_, id, amount: String(amount) }) }];
      }),
  };
};
