import { basename } from 'node:path';
import { createSigner } from './mint/cashu-signer.ts';
import type { Curve } from './mint/curve.ts';
import { MintError } from './mint/mint.ts';
import type { MintApi } from './mint/mint-api.ts';
import { type Database, type Migration, openDatabase } from './store/sqlite.ts';

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

/** Runs a task with the books. */
type WithBooks = <T>(task: (books: Database) => T) => Promise<T>;

/** Opens the books at first use. Rejects with {@link MintError} if they can't be used. */
const createBooks = (path: string): WithBooks => {
  let opening: Promise<Database> | undefined;
  return async (task) => {
    try {
      opening ??= openDatabase(path, BOOKS).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return task(await opening);
    } catch (error) {
      if (error instanceof MintError) throw error;
      // SECURITY: callers of the API must not learn the path.
      throw new MintError(
        'unanswered',
        `dot-mi can’t use the file ${basename(path)}, the books of test money.`,
      );
    }
  };
};

/**
 * Creates the mint of test money, with its books in a file. It answers as a real mint's API does, but it's in this process.
 * Its keys depend only on `secret`.
 *
 * Like a real mint, it writes what it did to disk before it answers. Unlike a real one, it gives away sats: a swap without
 * inputs signs any outputs.
 */
export const createTestMoneyMint = (path: string, secret: string, curve: Curve): MintApi => {
  const withBooks = createBooks(path);
  const signer = createSigner(secret, curve);
  const isSpent = (books: Database, y: string) =>
    books.get('SELECT 1 FROM spent WHERE y = ?', y) !== undefined;
  const signedAmount = (books: Database, b: string) =>
    books.get<{ amount: number }>('SELECT amount FROM signed WHERE b = ?', b)?.amount;
  const listed = () => ({ ...signer.keyset(), unit: 'sat', isReadable: true });

  return {
    keysets: async () => [listed()],
    keys: async () => [listed()],
    info: async () => ({ info: {}, supportsDleq: true, lacks: [], mostItems: undefined }),

    async swap(inputs, outputs) {
      const ys = inputs.map((proof) => curve.hashToCurve(proof.secret));
      if (!inputs.every((proof, at) => signer.isSigned(proof, ys[at] ?? '')))
        throw refusal(PROOF_INVALID, 'The mint didn’t sign one of the proofs.');
      const messages = outputs.map(({ blindedMessage }) => blindedMessage);
      const amounts = messages.map(({ amount }) => Number(amount));
      if (inputs.length > 0 && sumOf(inputs.map(({ amount }) => amount)) !== sumOf(amounts))
        throw refusal(NOT_BALANCED, 'The inputs and outputs have different amounts.');
      const signatures = messages.map(signer.sign);
      await withBooks((books) =>
        books.transaction(() => {
          if (ys.some((y) => isSpent(books, y))) throw refusal(SPENT, 'One of the proofs is already spent.');
          if (messages.some(({ B_ }) => signedAmount(books, B_) !== undefined))
            throw refusal(SIGNED, 'One of the outputs is already signed.');
          for (const y of ys) books.run('INSERT INTO spent VALUES (?)', y);
          for (const { B_, amount } of messages)
            books.run('INSERT INTO signed VALUES (?, ?)', B_, Number(amount));
        }),
      );
      return signatures;
    },

    states: (ys) => withBooks((books) => ys.map((y) => (isSpent(books, y) ? 'SPENT' : 'UNSPENT'))),

    restore: (outputs) =>
      withBooks((books) =>
        outputs.flatMap(({ blindedMessage: { B_, id } }) => {
          const amount = signedAmount(books, B_);
          if (amount === undefined) return [];
          return [{ blinded: B_, signature: signer.sign({ B_, id, amount: String(amount) }) }];
        }),
      ),
  };
};
