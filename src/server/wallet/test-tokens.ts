import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErrorCode } from '../../shared/api/errors.ts';
import type { Receipt, TestTokens } from '../../shared/api/wallet.ts';
import { AppError } from '../platform/app-error.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import { DatabaseUnavailableError } from './store/sqlite.ts';
import { openWalletDatabase, type WalletDatabase, type WalletStore } from './store/wallet-store.ts';

interface TestTokenOptions {
  walletDirectory: string;
  /** The mint's normalized URL. */
  mintUrl: string;
  /** Redeems a token into the real wallet. Rejects with an {@link AppError}. */
  redeem(token: string): Promise<Receipt>;
  logger: Logger;
}

/** Tokens that were received in DEV_MODE and may be real: those of the mint in MINT_URL. */
export interface TestTokenService {
  /** Empty while another dot-mi in DEV_MODE has the DEV_MODE database open. */
  list(): Promise<TestTokens>;
  /**
   * Redeems a token, and removes it from the list on success, or if it can never be redeemed.
   *
   * Throws `test_token_not_found`, or the errors of a receive.
   */
  redeem(id: string): Promise<Pick<Receipt, 'amount' | 'fee' | 'operationId'>>;
  /** Throws `test_token_not_found`. */
  drop(id: string): Promise<{ ok: true }>;
}

/** The mint of test money. Names that end in `.invalid` are reserved (RFC 2606), so no wallet can reach it. */
export const TEST_MINT = 'https://test-money.invalid';

const DEV_DATABASE_NAME = 'dev-wallet.sqlite';

/** Opens the DEV_MODE database in a wallet directory. Throws `DatabaseUnavailableError`. */
export const openDevDatabase = (walletDirectory: string, clock: Clock): Promise<WalletDatabase> =>
  openWalletDatabase(join(walletDirectory, DEV_DATABASE_NAME), clock);

/**
 * Refusals that no retry changes. A locked token, or one below its fee, stays listed, because its key may turn up, or
 * the fee may drop.
 */
const FINAL_REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'token_spent',
  'malformed_token',
  'invalid_signature',
]);

const notFound = () =>
  new AppError(
    'test_token_not_found',
    'There is no test token with this id. If another dot-mi is running with test money, stop it and try again.',
  );

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );

// The database allows one connection at a time, so this process's calls take turns.
const lock = createKeyedLock();

/** Offers DEV_MODE tokens to the real wallet. Opens the DEV_MODE database only during each call. */
export const createTestTokens = ({
  walletDirectory,
  mintUrl,
  redeem,
  logger,
}: TestTokenOptions): TestTokenService => {
  const path = join(walletDirectory, DEV_DATABASE_NAME);

  /** Returns undefined if the database doesn't exist or can't be opened. */
  const open = async (): Promise<WalletDatabase | undefined> => {
    if (!(await isFile(path))) return undefined;
    try {
      return await openDevDatabase(walletDirectory, systemClock);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      logger.warn({ err: error }, 'the tokens accepted in DEV_MODE can’t be read');
      return undefined;
    }
  };

  /** Runs a task on the database. Returns undefined if there's no database. */
  const withStore = <T>(task: (store: WalletStore) => T): Promise<T | undefined> =>
    lock.run(path, async () => {
      const database = await open();
      try {
        return database && task(database.ofMint(TEST_MINT));
      } finally {
        database?.close();
      }
    });

  const dropToken = (id: string) =>
    withStore((store) => {
      // Other mints' tokens aren't listed, so they can't be dropped by accident.
      const isListed = store.testTokens.list(mintUrl).some((token) => token.id === id);
      return isListed && store.testTokens.drop(id);
    });

  /** Removes a finished token. A failure is only logged, because the wallet refuses a leftover token the next time. */
  const dropDone = (id: string) =>
    dropToken(id).catch((error: unknown) =>
      logger.warn({ err: error }, 'a redeemed token could not be removed from the DEV_MODE database'),
    );

  return {
    async list() {
      const tokens = (await withStore((store) => store.testTokens.list(mintUrl))) ?? [];
      return {
        tokens: tokens.map(({ id, amount, memo, receivedAt }) => ({
          id,
          amount,
          ...(memo === undefined ? {} : { memo }),
          receivedAt: new Date(receivedAt).toISOString(),
        })),
      };
    },

    async redeem(id) {
      const kept = await withStore((store) =>
        store.testTokens.list(mintUrl).find((token) => token.id === id),
      );
      if (!kept) throw notFound();
      try {
        const { amount, fee, operationId } = await redeem(kept.token);
        await dropDone(id);
        return { amount, fee, operationId };
      } catch (error) {
        if (error instanceof AppError && FINAL_REFUSALS.has(error.code)) await dropDone(id);
        throw error;
      }
    },

    async drop(id) {
      if (!(await dropToken(id))) throw notFound();
      return { ok: true };
    },
  };
};
