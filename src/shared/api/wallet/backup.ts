import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { sats } from './fields.ts';

/** What can keep the backup words on the disk. */
export const SEED_PROTECTIONS = ['keychain', 'file'] as const;

/** Shows the backup words. */
export const getSeed = defineEndpoint({
  id: 'wallet.seed',
  method: 'GET',
  path: '/api/wallet/seed',
  summary: 'Show the backup words',
  access: 'operator',
  success: {
    status: 200,
    body: z
      .object({
        mnemonic: z.string(),
        protection: z
          .enum(SEED_PROTECTIONS)
          .describe(
            'What keeps the words on the disk: the keychain of the system, or the mode of their file alone.',
          ),
      })
      .meta({ id: 'BackupWords' }),
  },
  errors: ['dev_mode'],
});

/** What {@link getSeed} answers. */
export type BackupWords = z.infer<typeof getSeed.success.body>;

/** Restores an empty wallet from its backup words. */
export const restoreWallet = defineEndpoint({
  id: 'wallet.restore',
  method: 'POST',
  path: '/api/wallet/restore',
  summary: 'Restore an empty wallet from backup words',
  access: 'operator',
  body: z.strictObject({ mnemonic: z.string().max(1000) }),
  success: {
    status: 200,
    body: z.object({ amount: sats, proofs: z.int().nonnegative() }).meta({ id: 'Restored' }),
  },
  errors: ['dev_mode', 'wallet_not_empty', 'invalid_mnemonic', 'mint_error', 'mint_unreachable'],
});

/** What {@link restoreWallet} answers. */
export type Restored = z.infer<typeof restoreWallet.success.body>;
