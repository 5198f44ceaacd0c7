import { randomBytes } from 'node:crypto';
import type { WalletStore } from '../store/wallet-store.ts';
import type { Seed } from './seed.ts';

const SECRET = 'test_money_secret';

const refuse = (): never => {
  throw new Error('test money has no backup words');
};

/**
 * Opens the seed of test money. It's a secret in the database instead of words, because nobody backs up test sats.
 */
export const openTestSeed = ({ metadata }: Pick<WalletStore, 'metadata'>): Seed & { secret: string } => {
  const known = metadata.get(SECRET);
  const secret = known ?? randomBytes(32).toString('hex');
  if (known === undefined) metadata.set(SECRET, secret);
  return {
    secret,
    mnemonic: () => secret,
    isNew: known === undefined,
    protection: () => 'file',
    backedUpAt: () => undefined,
    isOwn: () => false,
    written: async () => undefined,
    confirmBackup: refuse,
    others: refuse,
    putBack: refuse,
    generate: refuse,
    prepare: refuse,
  };
};
