import { readdir } from 'node:fs/promises';
import type { Balance } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { MintWallet } from './operations/mint-wallet.ts';
import { createSpentElsewhere, type SpentElsewhere } from './operations/spent-elsewhere.ts';

const WALLET_FILE = /^wallet-.+\.sqlite$/;

/** Dependencies of {@link createOtherWallets}. */
interface OtherWalletsDeps {
  walletDirectory: string;
  /** The name of the current mint's database. */
  currentName: string;
  /** Opens the wallet of a database. Returns undefined if nothing is left in it. */
  open(databaseName: string): Promise<MintWallet | undefined>;
  onChange(): void;
  clock: Clock;
  logger: Logger;
}

/** The wallets of mints that MINT_URL named before, as long as something is left in them. */
interface OtherWallets {
  balances(): NonNullable<Balance['otherMints']>;
  /** What agent keys spent today with any of them, also with those in which nothing is left. */
  spent: SpentElsewhere;
  /** Begins to open them. */
  open(): void;
  close(): Promise<void>;
}

/** Creates {@link OtherWallets}. */
export const createOtherWallets = (deps: OtherWalletsDeps): OtherWallets => {
  const { walletDirectory, currentName, onChange, clock, logger } = deps;
  const wallets = new Map<string, MintWallet>();
  const opened = Promise.withResolvers<void>();
  let opening: Promise<void> | undefined;
  let closed = false;
  const isOther = (name: string) => WALLET_FILE.test(name) && name !== currentName;

  const openAll = async () => {
    for (const databaseName of (await readdir(walletDirectory)).filter(isOther)) {
      if (closed) return;
      const wallet = await deps.open(databaseName).catch((error: unknown) => {
        logger.warn({ err: error, databaseName }, 'the wallet of another mint could not be opened');
        return undefined;
      });
      if (!wallet) continue;
      if (closed) return wallet.close();
      wallets.set(databaseName, wallet);
      wallet.start();
      onChange();
    }
  };

  return {
    balances: () =>
      [...wallets.values()].map(({ balance: view }) => {
        const { mint, balance, pending } = view.read();
        return { mint, balance, pending };
      }),
    spent: createSpentElsewhere({
      walletDirectory,
      isOther,
      async openStores() {
        await opened.promise;
        return new Map([...wallets].map(([name, { context }]) => [name, context.store]));
      },
      clock,
      logger,
    }),
    open() {
      opening = openAll()
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'the wallets of other mints could not be opened'),
        )
        .finally(opened.resolve);
    },
    async close() {
      closed = true;
      opened.resolve();
      await opening;
      await Promise.all([...wallets.values()].map((wallet) => wallet.close()));
    },
  };
};
