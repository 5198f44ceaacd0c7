import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { message } from '../fields.ts';
import { sats } from './fields.ts';

/** How the backup words can be protected on disk. */
const SEED_PROTECTIONS = ['keychain', 'file'] as const;

const mnemonic = z.string().describe('The 12 backup words, separated by spaces. Keep them secret.');

const backupWords = z
  .object({
    mnemonic,
    protection: z
      .enum(SEED_PROTECTIONS)
      .describe(
        'How the words are protected on disk. `keychain`: by the system’s keychain. `file`: only by the mode of their file.',
      ),
    others: z
      .array(
        z.object({
          mint: z.string().nullable().describe('The URL of the mint. Null if the wallet doesn’t know it.'),
          mnemonic,
        }),
      )
      .describe(
        'Other backup words in the wallet directory. They are from before a restore, or from earlier versions, which created words for each mint.',
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
  keys: 'none',
  success: { status: 200, body: backupWords },
  errors: ['wallet_locked', 'dev_mode', 'seed_missing'],
});

/** The response of {@link getSeed}. */
export type BackupWords = z.infer<typeof backupWords>;

/** How many words the operator must enter to prove that all of them are written down. */
const CONFIRMED_WORDS = 3;

/** Records that the operator has the backup words. */
export const confirmSeed = defineEndpoint({
  id: 'wallet.confirmSeed',
  method: 'POST',
  path: '/api/wallet/seed/confirm',
  summary: 'Prove that you have the backup words',
  description:
    'Send at least three of the words with their positions, counted from 1. If they are correct, `backedUpAt` in the balance says when ' +
    'you confirmed them. dot-mi stores that time for each set of words. It never stores the words that you send.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    words: z
      .array(
        z.strictObject({
          position: z.int().min(1).max(24).describe('The position of the word, from 1.'),
          word: z.string().max(100).describe('The word at this position.'),
        }),
      )
      .min(CONFIRMED_WORDS)
      .max(24)
      .refine((words) => new Set(words.map(({ position }) => position)).size === words.length, {
        message: 'Send each position once.',
      })
      .describe('Some of the backup words, with their positions.'),
  }),
  success: {
    status: 200,
    body: z.object({
      backedUpAt: z.iso.datetime().describe('When the operator last confirmed the backup words.'),
    }),
  },
  errors: ['wallet_locked', 'dev_mode', 'seed_missing', 'wrong_words'],
});

/** The words that {@link confirmSeed} checks. */
export type ConfirmedWords = z.infer<typeof confirmSeed.body>['words'];

/** Creates new backup words for a wallet whose words are missing. */
export const replaceMissingSeed = defineEndpoint({
  id: 'wallet.newSeed',
  method: 'POST',
  path: '/api/wallet/seed',
  summary: 'Create new backup words when the old ones are missing',
  description:
    'Works only while `seed` in the balance is `missing`. The wallet keeps its proofs. If you find the old words later, you can still ' +
    'restore their sats.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    accept: z
      .literal('new_words')
      .describe('Send "new_words" to confirm that the wallet gets new backup words.'),
  }),
  success: { status: 200, body: backupWords },
  errors: ['wallet_locked', 'dev_mode', 'seed_present'],
});

const restored = z
  .object({
    found: sats.describe(
      'The unspent sats that the search found and that the balance didn’t include. This includes proofs that the mint is processing or that the ' +
        'wallet is swapping. `found` is the sum of `amount`, `fee` and `pending`, plus three amounts without a field. These are the fees of pending swaps, ' +
        'proofs that are worth less than their fee, and proofs that the mint refused to swap.',
    ),
    amount: sats.describe('The sats that completed operations have credited.'),
    pending: sats.describe(
      'The sats that were found but aren’t credited yet, in pending operations and in proofs that the mint is processing. The wallet keeps trying ' +
        'and credits them once the mint confirms them, even without the words.',
    ),
    proofs: z.int().nonnegative().describe('The number of proofs behind `amount`.'),
    fee: sats.describe('The mint’s fee for swapping the proofs of other words into this wallet, in sats.'),
    words: z
      .enum(['kept', 'replaced'])
      .describe(
        '`replaced`: the wallet was empty and now uses these words. `kept`: it still uses its own words.',
      ),
    skipped: z
      .array(
        z.object({
          keysetId: z.string().describe('The id of a keyset of the mint (NUT-02).'),
          reason: message,
        }),
      )
      .describe('The keysets that dot-mi couldn’t search, each with the reason.'),
  })
  .meta({ id: 'Restored' });

const RESTORE_ERRORS = ['dev_mode', 'mint_error', 'mint_unreachable', 'mint_refused', 'wallet_busy'] as const;

/** Restores sats from backup words. */
export const restoreWallet = defineEndpoint({
  id: 'wallet.restore',
  method: 'POST',
  path: '/api/wallet/restore',
  summary: 'Restore sats from backup words',
  description:
    'An empty wallet adopts the words once the mint reports one of their proofs as unspent. Any other wallet keeps its own words and swaps the sats of the other words into itself. ' +
    'It then searches its own words again. The `restore` field of wallet events shows the progress. If something interrupts a search of the ' +
    'wallet’s own words, dot-mi resumes it at the next start. To resume a search of other words, send them again, because dot-mi doesn’t save them. ' +
    'A request with the same words joins the running search.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    mnemonic: z.string().max(1000).describe('The 12 backup words, separated by spaces. Keep them secret.'),
  }),
  success: { status: 200, body: restored },
  errors: ['wallet_locked', ...RESTORE_ERRORS, 'invalid_mnemonic', 'wrong_words', 'nothing_found'],
});

/** The response of {@link restoreWallet}. */
export type Restored = z.infer<typeof restored>;

/** Searches the mint for sats that belong to the wallet's words but are missing from the wallet. */
export const rescanWallet = defineEndpoint({
  id: 'wallet.rescan',
  method: 'POST',
  path: '/api/wallet/rescan',
  summary: 'Check the mint for missing sats',
  description:
    'Searches all keysets for sats of the wallet’s own words. If it finds none, the request succeeds with `amount` 0.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: restored },
  errors: ['wallet_locked', ...RESTORE_ERRORS, 'seed_missing'],
});
