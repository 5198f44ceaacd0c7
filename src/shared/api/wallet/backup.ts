import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { message } from '../fields.ts';
import { sats } from './fields.ts';

/** How the backup words can be protected on disk. */
const SEED_PROTECTIONS = ['keychain', 'file'] as const;

const mnemonic = z.string().describe('The 12 backup words, separated by spaces. They are a secret.');

const backupWords = z
  .object({
    mnemonic,
    protection: z
      .enum(SEED_PROTECTIONS)
      .describe(
        'How the words are protected on disk: by the system keychain, or only by the mode of their file.',
      ),
    others: z
      .array(z.object({ mint: z.string().nullable().describe('The URL of the mint.'), mnemonic }))
      .describe(
        'Other backup words in the wallet directory, from before a restore or from earlier versions, which made words for each mint. ' +
          '`mint` is null if the wallet does not know which mint they were used with.',
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

/** How many words prove that someone wrote all of them down. */
const CONFIRMED_WORDS = 3;

/** Records that the operator has the backup words. */
export const confirmSeed = defineEndpoint({
  id: 'wallet.confirmSeed',
  method: 'POST',
  path: '/api/wallet/seed/confirm',
  summary: 'Prove that you have the backup words',
  description:
    'Send at least three of the words with their positions, counted from 1. If they are right, `backedUpAt` in the balance says when ' +
    'they were confirmed. The server stores that time for each set of words, never the words you send.',
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
      .describe('Some of the backup words, to prove that they were written down.'),
  }),
  success: {
    status: 200,
    body: z.object({ backedUpAt: z.iso.datetime().describe('When the backup words were last confirmed.') }),
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
  summary: 'Accept new backup words when the old ones are missing',
  description:
    'Allowed only while `seed` in the balance is `missing`. The wallet keeps its proofs. If you find the old words, you can still ' +
    'restore them later.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    accept: z
      .literal('new_words')
      .describe('The words "new_words": the wallet starts with new backup words.'),
  }),
  success: { status: 200, body: backupWords },
  errors: ['wallet_locked', 'dev_mode', 'seed_present'],
});

const restored = z
  .object({
    found: sats.describe(
      'The value of the proofs that the search found, that are not spent and that the balance did not have. Proofs that the mint is still ' +
        'processing count, and so do those that the wallet is still swapping. It is `amount`, `fee`, `pending` and `unconfirmed` together, with ' +
        'the fees of pending swaps, proofs that are not worth their own fee, and proofs whose swap the mint refused (see `skipped`).',
    ),
    amount: sats.describe('The credited amount. Only what operations that completed have credited.'),
    pending: sats.describe(
      'Found, but not credited yet: sats in operations that are still pending, and proofs that the mint is still processing. The wallet credits them ' +
        'later if the mint confirms them. Until then, keep the words.',
    ),
    unconfirmed: sats.describe(
      'Proofs of other words that the mint is still processing, which the wallet does not hold. Keep the words, and restore them again later.',
    ),
    proofs: z.int().nonnegative().describe('The number of proofs behind `amount`.'),
    fee: sats.describe("The mint's fee for swapping the proofs of other words into this wallet."),
    words: z
      .enum(['kept', 'replaced'])
      .describe(
        '`replaced`: the wallet was empty and now uses these words. Otherwise it keeps its own words.',
      ),
    skipped: z
      .array(
        z.object({
          keysetId: z.string().describe('The id of a keyset of the mint (NUT-02).'),
          reason: message,
        }),
      )
      .describe('Keysets that could not be searched, with the reason for each.'),
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
    'An empty wallet adopts the words once the mint reports one of their proofs as unspent. A wallet that is not empty keeps its own words, swaps the sats of the other words into itself, and ' +
    'searches its own words again. The `restore` field of wallet events shows the progress. If a search of the ' +
    "wallet's own words is interrupted, it resumes at the next start. To resume a search of other words, send them again, because they are not saved. " +
    'A request with the same words joins the running search.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    mnemonic: z.string().max(1000).describe('The 12 backup words, separated by spaces. They are a secret.'),
  }),
  success: { status: 200, body: restored },
  errors: ['wallet_locked', ...RESTORE_ERRORS, 'invalid_mnemonic', 'wrong_words', 'nothing_found'],
});

/** The response of {@link restoreWallet}. */
export type Restored = z.infer<typeof restored>;

/** Asks the mint for sats that it signed for the wallet's own words and that the wallet doesn't know. */
export const rescanWallet = defineEndpoint({
  id: 'wallet.rescan',
  method: 'POST',
  path: '/api/wallet/rescan',
  summary: 'Check the mint for missing sats',
  description:
    "Searches every keyset for sats of the wallet's own words. If nothing is found, the request succeeds with `amount` 0.",
  access: 'operator',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: restored },
  errors: ['wallet_locked', ...RESTORE_ERRORS, 'seed_missing'],
});
