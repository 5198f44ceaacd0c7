import { many, number } from './words.ts';

/** Strings for the backup words and for restoring with them. */
export const walletBackup = {
  backup: {
    heading: 'Backup',
    hint: 'Twelve words on paper restore your sats if you lose this computer.',
    backedUp: 'Backed up',
    notBackedUp: 'Not backed up',
    notBackedUpHint: 'Write down the backup words, then type three of them to check.',
    confirmed: (ago: string): string => `You confirmed the words ${ago}.`,
    show: 'Show backup words…',
    restore: 'Restore from words…',
    rescan: 'Check the mint for missing sats',
    rescanning: 'Checking the mint…',
    rescanHint: 'Use this if the balance is too low, for example after you restore an old data folder.',
    missing: 'The words are missing, so dot-mi can’t show them or check the mint with them.',
    title: 'Backup words',
    description: 'Anyone who has these words can take every sat in this wallet.',
    before: 'Make sure no one can see your screen. Never enter these words anywhere except in dot-mi.',
    reveal: 'Show words',
    revealing: 'Reading…',
    words: 'The words, in order',
    mints: (count: number): string =>
      count === 1
        ? 'Also write down the mint’s address. The words restore sats only at that mint.'
        : 'Also write down your mints’ addresses. The words restore sats only at these mints.',
    copy: 'Copy words',
    copyWarning: 'Paper is safer. Other programs can read the clipboard, and some send it to other devices.',
    protection: {
      keychain: 'On this computer, the system keychain protects them.',
      file: 'This computer has no keychain, so they’re in a file that only your user account can read.',
    },
    othersHeading: 'Other backup words',
    othersHint: 'Write these down too, because you may need them to restore sats.',
    unknownMint: 'Unknown mint',
    hide: 'Hide words',
    showOther: (mint: string): string => `Show words for ${mint}`,
    hideOther: (mint: string): string => `Hide words for ${mint}`,
    otherWords: (mint: string): string => `The words for ${mint}, in order`,
    copyOther: (mint: string): string => `Copy words for ${mint}`,
    done: 'Done',
    failed: 'dot-mi couldn’t read the words',
  },

  confirmBackup: {
    written: 'I wrote them down',
    title: 'Check your backup words',
    hint: 'Type these words from your paper.',
    field: (position: number): string => `Word ${position}`,
    back: 'Show words again',
    submit: 'Check words',
    checking: 'Checking…',
    failed: 'The words weren’t confirmed',
    done: 'Backed up',
    doneHint: 'These words restore your sats if you lose this computer.',
  },

  /** Strings for switching from test money to real money. */
  realMoney: {
    open: 'Use real money…',
    title: 'Use real money',
    steps: { mint: 'Choose the mint', switch: 'Switch to real money', backup: 'Write down the words' },
    stepDone: 'done',
    mint: 'Mint',
    mintHint: 'The mint holds the bitcoin behind your sats, so choose one that you trust.',
    notAMint: 'Enter the mint’s web address, such as https://mint.minibits.cash/Bitcoin.',
    next: 'Continue',
    checking: 'Checking…',
    unreachable: (host: string): string =>
      `No mint responds at ${host}. Check the address in the Mint field, or try again later.`,
    unlike: (host: string): string =>
      `${host} isn’t a mint. Check the address in the Mint field, including https:// and the path.`,
    lacks: {
      sat: (mint: string): string =>
        `${mint} doesn’t issue ecash in sats. Enter another mint in the Mint field.`,
      'NUT-07': (mint: string): string =>
        `${mint} can’t say which ecash is spent, so dot-mi can’t use that mint. Enter another one in the Mint field.`,
      'NUT-09': (mint: string): string =>
        `${mint} can’t restore ecash from backup words, so dot-mi can’t use that mint. Enter another one in the Mint field.`,
    },
    back: 'Back',
    points: (mint: string): readonly string[] => [
      `dot-mi will receive tokens at ${mint}, and the balance will be real money.`,
      'Your test sats stay in a separate wallet.',
      'dot-mi will restart, and this page stays open.',
    ],
    switchOn: 'Switch to real money',
    switching: 'Switching…',
    failed: 'dot-mi still uses test money',
    fixed: (variable: string): string =>
      `The environment variable ${variable} sets this. Remove it and restart dot-mi.`,
    isOn: 'Real money is on',
    isOnHint: 'Now write down the backup words. Without them, a lost disk costs you every sat.',
    isOnAway: (host: string): string =>
      `${host} isn’t responding. You can receive sats once it’s back. Write down the backup words now.`,
    later: 'Do it later',
  },

  restore: {
    title: 'Restore from words',
    description: 'Finds sats at this wallet’s mint that belong to a set of backup words.',
    cases: {
      empty: {
        title: 'Empty wallet',
        hint: 'From now on, it uses the words you enter.',
      },
      filled: {
        title: 'Wallet with sats',
        hint: 'The wallet keeps its own words. Any sats that are found move into it, and the mint may charge a fee.',
      },
    },
    thisWallet: 'this wallet',
    field: 'Backup words',
    placeholder: 'abandon ability able …',
    count: (count: number): string => many(count, 'word', 'words'),
    lengths: 'Enter 12, 15, 18, 21 or 24 words.',
    unknown: (words: string): string => `Not on the list of backup words: ${words}.`,
    unknownWord: (position: number, word: string): string => `${position}. “${word}”`,
    submit: 'Restore',
    done: 'Done',
  },

  /** Strings for a search at the mint: a restore or a rescan. */
  search: {
    running: {
      restore: 'Searching for sats that belong to these words',
      rescan: 'Searching for missing sats',
    },
    background: 'Searching the mint for sats',
    asking: 'Connecting to the mint…',
    hint: 'This can take a few minutes. The search continues if you close this.',
    label: 'Keysets searched',
    keysets: (done: number, all: number): string =>
      `Keysets: ${number.format(done)} of ${number.format(all)}`,
    counters: (count: number): string => `${many(count, 'counter', 'counters')} searched`,
    sats: (amount: number): string => `${number.format(amount)} sat found`,

    restored: (amount: number): string => `Restored ${number.format(amount)} sat`,
    found: (amount: number): string => `Found ${many(amount, 'missing sat', 'missing sats')}`,
    noneMissing: 'Nothing is missing.',
    noneMissingHint: 'The wallet already has every sat that the mint signed for its words.',
    incomplete: 'The search is incomplete',
    notYet: (amount: number): string => `${number.format(amount)} sat found, but not credited yet`,
    notCredited: (amount: number): string => `${number.format(amount)} sat found, but not credited`,
    foundSats: (amount: number): string => `Found: ${number.format(amount)} sat that weren’t in the balance.`,
    credited: (amount: number, count: number, fee: number): string =>
      `Credited: ${number.format(amount)} sat from ${many(count, 'unspent proof', 'unspent proofs')}${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}.`,
    pending: (amount: number): string =>
      `Pending: ${number.format(amount)} sat. The wallet keeps trying and credits them once the mint confirms them.`,
    dust: (amount: number): string =>
      `Left out: ${number.format(amount)} sat that cost more in fees than they are worth.`,
    words: {
      kept: 'This wallet keeps its own backup words.',
      replaced: 'This wallet now uses the words you entered.',
    },
    skipped: (count: number): string =>
      `dot-mi couldn’t search ${many(count, 'keyset', 'keysets')}. Try again later.`,
    titles: {
      mint_refused: 'The mint refused the search',
      offline: 'dot-mi didn’t respond',
      unexpected_answer: 'Unexpected response',
      unauthorized: 'This page needs the operator token',
      operator_required: 'This page needs the operator token',
    } as Readonly<Record<string, string>>,
    advice: {
      wrong_words: 'Nothing changed. Enter the words that you wrote down for this wallet.',
      nothing_found:
        'Nothing changed. Check in Settings that the mint is the one where you used these words.',
      wallet_busy: 'Wait for the other search or operation to finish, then try again.',
      mint_unreachable: 'Try again when the mint is back. The search continues where it stopped.',
      mint_error: 'Try again later. The search continues where it stopped.',
      offline: 'The search may still be running. Try again to follow it.',
      unexpected_answer: 'The search may still be running. Try again to follow it.',
    } as Readonly<Record<string, string>>,
    failed: { restore: 'Nothing was restored', rescan: 'The check didn’t finish' },
  },

  /** Shown if the file with the backup words is missing or unreadable. */
  missingSeed: {
    receiveTitle: 'Receiving is off',
    receiveHint: 'dot-mi can’t read the wallet’s backup words. You can still send.',
    fix: 'Fix backup words…',
    stages: {
      missing: {
        title: 'The backup words are missing',
        description: 'The sats are still here. You can’t receive until you enter the words.',
      },
      restored: {
        title: 'The words are back',
        description: 'You can receive again.',
      },
      new: {
        title: 'Use new words?',
        description: 'Do this only if you can’t find the old words.',
      },
      accepted: {
        title: 'Write down the new words',
        description: 'The wallet uses these words from now on, and you can receive again.',
      },
    },
    enterHeading: 'Enter the words you wrote down',
    submit: 'Use these words',
    noWords: 'I don’t have the words…',
    newPoints: [
      'The sats in this wallet stay.',
      'The new words back up only what you receive from now on.',
      'You can still restore from the old words later.',
    ],
    accept: 'Use new words',
    accepting: 'Creating new words…',
    back: 'Back',
    acceptFailed: 'No new words were created',
  },
} as const;
