import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { sats } from './fields.ts';

/** What can keep the backup words on the disk. */
export const SEED_PROTECTIONS = ['keychain', 'file'] as const;

const backupWords = z
  .object({
    mnemonic: z.string(),
    protection: z
      .enum(SEED_PROTECTIONS)
      .describe(
        'What keeps the words on the disk: the keychain of the system, or the mode of their file alone.',
      ),
    others: z
      .array(z.object({ mint: z.string().nullable(), mnemonic: z.string() }))
      .describe(
        'Other backup words in the wallet directory, from earlier versions (which made words for each mint) or from before a restore. ' +
          '`mint` is null when the wallet does not know where they were used.',
      ),
  })
  .meta({ id: 'BackupWords' });

/** Shows the backup words. */
export const getSeed = defineEndpoint({
  id: 'wallet.seed',
  method: 'GET',
  path: '/api/wallet/seed',
  summary: 'Show the backup words',
  access: 'operator',
  success: { status: 200, body: backupWords },
  errors: ['dev_mode', 'seed_missing'],
});

/** What {@link getSeed} answers. */
export type BackupWords = z.infer<typeof backupWords>;

/** Makes new backup words for a wallet whose words are missing. */
export const replaceMissingSeed = defineEndpoint({
  id: 'wallet.newSeed',
  method: 'POST',
  path: '/api/wallet/seed',
  summary: 'Accept new backup words when the old ones are missing',
  description:
    'Only while `seed` of the balance is `missing`. The proofs that the wallet holds stay; the old words, should they turn up again, can ' +
    'be restored later.',
  access: 'operator',
  body: z.strictObject({ accept: z.literal('new_words') }),
  success: { status: 200, body: backupWords },
  errors: ['dev_mode', 'seed_present'],
});

const restored = z
  .object({
    amount: sats.describe('What was credited.'),
    proofs: z.int().nonnegative().describe('How many unspent proofs were found.'),
    fee: sats.describe('What the mint kept, when proofs of other words were swapped into this wallet.'),
    words: z
      .enum(['kept', 'replaced'])
      .describe('`replaced`: the wallet was empty and uses these words from now on. Else it keeps its own.'),
    skipped: z
      .array(z.object({ keysetId: z.string(), reason: z.string() }))
      .describe('Keysets that could not be searched, each with the reason.'),
  })
  .meta({ id: 'Restored' });

const RESTORE_ERRORS = ['dev_mode', 'mint_error', 'mint_unreachable', 'mint_refused', 'wallet_busy'] as const;

/** Finds the sats of backup words. */
export const restoreWallet = defineEndpoint({
  id: 'wallet.restore',
  method: 'POST',
  path: '/api/wallet/restore',
  summary: 'Find the sats of backup words',
  description:
    'An empty wallet takes the words over. A wallet that is not empty keeps its own: the sats of other words are swapped into it, and its ' +
    'own words are searched again. `restore` of the wallet events shows the progress. A search of the ' +
    "wallet's own words that was interrupted resumes at the next start. Ask again to resume a search of other words: they are not kept. " +
    'Asking with the same words joins a search that is running.',
  access: 'operator',
  body: z.strictObject({ mnemonic: z.string().max(1000) }),
  success: { status: 200, body: restored },
  errors: [...RESTORE_ERRORS, 'invalid_mnemonic', 'wrong_words', 'nothing_found'],
});

/** What {@link restoreWallet} answers. */
export type Restored = z.infer<typeof restored>;

/** Asks the mint for sats that it signed for the wallet's own words and that the wallet does not know about. */
export const rescanWallet = defineEndpoint({
  id: 'wallet.rescan',
  method: 'POST',
  path: '/api/wallet/rescan',
  summary: 'Check the mint for missing sats',
  description:
    "Searches every keyset for the wallet's own words. Finding nothing is a success with `amount` 0.",
  access: 'operator',
  body: z.strictObject({}),
  success: { status: 200, body: restored },
  errors: [...RESTORE_ERRORS, 'seed_missing'],
});
