import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isNotFound } from '../../platform/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { readSpentToday, startOfDay } from '../store/key-operations-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** What counts for the limits of agent keys in the wallets of other mints. */
export interface SpentElsewhere {
  /** Today's sats by key. Throws `spend_limit_unknown` if a wallet that changed today can't be read. */
  today(): Promise<ReadonlyMap<string, number>>;
}

/** Dependencies of {@link createSpentElsewhere}. */
interface SpentElsewhereDeps {
  walletDirectory: string;
  /** Whether a file in it is the database of another mint's wallet. */
  isOther(name: string): boolean;
  /** The wallets of other mints that are open, by the name of their file. Waits until none is being opened. */
  openStores(): Promise<ReadonlyMap<string, Pick<WalletStore, 'keyUse'>>>;
  clock: Clock;
  logger: Logger;
}

const unknownError = (name: string, error: unknown) =>
  new AppError(
    'spend_limit_unknown',
    `dot-mi can't read ${name}, a wallet of another mint that was used today, so it doesn't know how much this key may still send. Ask the operator to stop another dot-mi that uses it, or to replace a damaged file with a good copy.`,
    {},
    error,
  );

/** Adds the sats of some keys to a sum by key. */
export const addSpent = (sum: Map<string, number>, spent: ReadonlyMap<string, number>): void => {
  for (const [key, sats] of spent) sum.set(key, (sum.get(key) ?? 0) + sats);
};

/** When a file changed last, in milliseconds since 1970, and its size. Undefined if it isn't there. */
const changeOf = async (path: string) => {
  try {
    const { mtimeMs, size } = await stat(path);
    return { mtimeMs, size };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/**
 * Adds up what agent keys spent today in the databases of other mints (docs/adr/0007), so that another MINT_URL doesn't
 * begin their limits anew. Only files that changed today are read, and each again once it changed.
 */
export const createSpentElsewhere = (deps: SpentElsewhereDeps): SpentElsewhere => {
  const { walletDirectory, clock, logger } = deps;
  const known = new Map<string, { stamp: string; spent: ReadonlyMap<string, number> }>();
  /** So that each problem is logged once. */
  const reported = new Set<string>();

  const ofClosed = async (name: string): Promise<ReadonlyMap<string, number>> => {
    const path = join(walletDirectory, name);
    const today = startOfDay(clock.now());
    // After a crash, the last changes are only in the -wal file.
    const changes = [await changeOf(path), await changeOf(`${path}-wal`)];
    if (changes[0] === undefined || changes.every((change) => (change?.mtimeMs ?? 0) < today))
      return new Map();
    const stamp = JSON.stringify([today, changes]);
    const before = known.get(name);
    if (before?.stamp === stamp) return before.spent;
    const spent = readSpentToday(path, clock);
    known.set(name, { stamp, spent });
    return spent;
  };

  return {
    async today() {
      const open = await deps.openStores();
      const sum = new Map<string, number>();
      for (const name of (await readdir(walletDirectory)).filter(deps.isOther)) {
        try {
          addSpent(sum, open.get(name)?.keyUse.todayByKey() ?? (await ofClosed(name)));
        } catch (error) {
          if (!reported.has(name))
            logger.warn(
              { err: error, databaseName: name },
              'the wallet of another mint could not be read, so agent keys send nothing',
            );
          reported.add(name);
          throw unknownError(name, error);
        }
      }
      return sum;
    },
  };
};
