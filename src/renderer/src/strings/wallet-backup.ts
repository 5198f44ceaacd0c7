import { number } from './words.ts';

/** Texts of the backup words and of restoring by them; a part of those of the wallet. */
export const walletBackup = {
  backup: {
    heading: 'Backup',
    hint: 'Twelve words bring your sats back when this machine is lost. Write them on paper.',
    show: 'Show backup words…',
    restore: 'Restore from words…',
    title: 'Backup words',
    description: 'Whoever reads these words can take everything in this wallet, now and later.',
    before:
      'Make sure that nobody looks over your shoulder, and that the screen is not shared or recorded. dot-mi never asks for these words.',
    reveal: 'Show words',
    revealing: 'Reading…',
    words: 'The words, in their order',
    copy: 'Copy words',
    copyWarning: 'Paper is safer: other programs can read the clipboard, and some send it to other devices.',
    protection: {
      keychain: 'On this computer they are sealed by its keychain.',
      file: 'On this computer they are in a file that only your user may read: there is no keychain for them.',
    },
    done: 'Done',
    failed: 'The words could not be read',
  },

  restore: {
    title: 'Restore from words',
    description: 'Brings the sats of other words back, from this wallet’s mint, into this empty wallet.',
    field: 'Backup words',
    placeholder: 'abandon ability able …',
    count: (count: number): string => `${number.format(count)} ${count === 1 ? 'word' : 'words'}`,
    lengths: '12, 15, 18, 21 or 24 words are needed.',
    unknown: (words: string): string => `Not on the list of backup words: ${words}.`,
    unknownWord: (position: number, word: string): string => `${position}. “${word}”`,
    notEmpty: (balance: number): string =>
      `This wallet holds ${number.format(balance)} sat. Only an empty one can be restored: send its sats out first, and wait for what is pending.`,
    submit: 'Restore',
    submitting: 'Asking the mint…',
    submittingHint: 'This can take a minute: the mint is asked for everything these words ever held.',
    done: (amount: number): string => `Restored ${number.format(amount)} sat`,
    doneNone: 'Restored, but there was nothing left of these words',
    titles: {
      wallet_not_empty: 'This wallet is not empty',
      invalid_mnemonic: 'These are not backup words',
      mint_unreachable: 'The mint cannot be reached',
      mint_error: 'The mint gave no usable answer',
      offline: 'The API did not answer',
    } as Readonly<Record<string, string>>,
    failed: 'Nothing was restored',
  },
} as const;
