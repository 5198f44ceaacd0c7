import { number } from './words.ts';

/** Texts of the wallet. */
export const wallet = {
  heading: 'Wallet',
  description: 'Ecash of one mint, kept on this machine.',
  sats: (amount: number): string => `${number.format(amount)} sat`,
  amount: (amount: number, unit: string): string => `${number.format(amount)} ${unit}`,

  balance: {
    heading: 'Balance',
    sats: (amount: number): string => number.format(amount),
    unit: 'sat',
    pending: (amount: number): string => `+ ${number.format(amount)} sat pending`,
    pendingHint: 'In operations that are under way. They end by themselves.',
    simulated: 'simulated',
    unlisted: (amount: number): string =>
      `${number.format(amount)} sat of it are on keysets that the mint no longer lists. They are kept, but the mint may not take them.`,
  },

  mint: {
    heading: 'Mint',
    copy: 'Copy mint URL',
    asking: 'asking…',
    states: {
      reachable: 'reachable',
      unreachable: 'unreachable',
      error: 'error',
      simulated: 'simulated',
    },
    simulatedHint: 'DEV MODE never asks the mint.',
    checked: 'Asked',
  },

  receive: {
    heading: 'Receive',
    field: 'Cashu token',
    placeholder: 'Paste a token (cashuA…, cashuB… or a cashu: link), or drop a file with one',
    devMode: 'DEV MODE: nothing is checked. Any text counts as a token, and what it pays is simulated.',
    receive: 'Receive',
    receiving: 'Receiving…',
    tryAgain: 'Try again',
    checkAgain: 'Check again',
    shortcut: 'Ctrl+Enter',
    shortcutMac: '⌘ Enter',
    checking: 'Checking…',
    valid: 'Valid: the mint says it is unspent',
    unchecked: 'Not checked',
    uncheckedHint: 'DEV MODE takes every token; the mint was not asked.',
    unknown: {
      title: 'It could not be checked',
      hint: 'You may receive it all the same: a token that the mint did not take stays yours.',
    },
    details: {
      amount: 'Amount',
      unreadable: 'not readable',
      fee: 'Fee',
      credited: 'You get',
      mint: 'Mint',
      memo: 'Memo',
      proofs: 'Proofs',
    },
    feeTakesAll: 'The fee would take all of it, so there is nothing to receive. Ask for a larger token.',
    chooseFile: 'Choose file…',
    fileTooLarge: 'That file is too large to be a token',
    fileUnreadable: 'That file could not be read',
    fileNotText: 'That file is not text, so there is no token in it',
    link: {
      wrongScheme: {
        title: 'The link was not taken',
        hint: 'It does not carry a Cashu token: cashu: is to be followed by cashuA… or cashuB….',
      },
      tooLong: {
        title: 'The link was not taken',
        hint: 'It is longer than 100 kB. Save the token as a file and drop it here instead.',
      },
      waiting: {
        title: 'A link brought another token',
        hint: 'The field still holds what you typed.',
        take: 'Take the one of the link',
      },
    },
    done: (amount: number | undefined, fee: number | undefined): string =>
      [
        amount === undefined ? 'Received' : `Received ${number.format(amount)} sat`,
        fee !== undefined && `fee ${number.format(fee)} sat`,
      ]
        .filter(Boolean)
        .join(', '),
    doneSimulated: 'Simulated: DEV MODE moves no real sats.',
    pendingTitle: 'The mint may have taken it',
    pendingHint:
      'The answer of the mint is missing. The wallet finds out by itself, also after a restart; nothing can be lost or paid twice. There is nothing to do.',
    operation: 'Operation',
    failedUnknown: 'It did not say why.',
  },

  /** By the reason of a validation; refusals of a receive have the same titles. */
  reasons: {
    malformed: {
      title: 'Not a Cashu token',
      advice: 'It cannot be read. Copy it again, from “cashu” to its very end.',
    },
    wrong_mint: {
      title: 'A token of another mint',
      advice: 'This wallet takes tokens of its own mint only. Ask the sender for one of that mint.',
    },
    wrong_unit: {
      title: 'Not in sat',
      advice: 'This wallet holds sat only. Ask the sender for a token in sat.',
    },
    spent: {
      title: 'Already spent',
      advice: 'It, or a part of it, was redeemed before. Ask the sender for a new one.',
    },
    pending: {
      title: 'Being redeemed right now',
      advice: 'The mint holds it for a payment that is under way, perhaps ours. Check again in a minute.',
    },
    locked: {
      title: 'Locked to a key',
      advice: 'Only the holder of that key can redeem it. Ask the sender for one that is not locked.',
    },
    invalid_signature: {
      title: 'The signatures do not check',
      advice:
        'The mint did not sign it as it stands: it is damaged or forged. Ask the sender for another one.',
    },
    unknown_keyset: {
      title: 'Unknown keyset',
      advice: 'The mint does not know the keys of this token. Ask the sender to swap it for a new one.',
    },
  },

  /** Titles of a refused receive, by code. */
  refusals: {
    amount_below_fee: 'Worth less than its fee',
    token_too_large: 'Too many proofs for the mint',
    mint_refused: 'The mint refused it',
    mint_error: 'The mint gave no usable answer',
    mint_unreachable: 'The mint cannot be reached',
    redemption_pending: 'The mint may have taken it',
    operation_not_found: 'The wallet does not know this operation',
    idempotency_key_in_use: 'It is being received already',
    idempotency_key_reused: 'It was sent before, with another text',
    offline: 'The API did not answer',
    unexpected_answer: 'Unexpected answer',
    unauthorized: 'This page needs a token',
    body_too_large: 'Too long to be a token',
    disk_full: 'The disk is full',
    wallet_damaged: 'The wallet cannot be read',
  } as Readonly<Record<string, string>>,
  refusedFallback: 'It was not received',
  /** What to do beside what the sentence of the server says, by code. */
  advice: {
    offline:
      'Whether the token was received is not known. Try again once dot-mi runs: it cannot be paid twice.',
    unexpected_answer: 'Whether the token was received is not known. Try again: it cannot be paid twice.',
    internal: 'Try again: the token cannot be paid twice.',
  } as Readonly<Record<string, string>>,

  send: {
    heading: 'Send',
    amount: 'Amount in sat',
    memo: 'Memo (optional)',
    memoHint: 'Part of the token: whoever gets it can read it.',
    send: 'Send',
    sending: 'Making the token…',
    tryAgain: 'Try again',
    invalid: {
      notWhole: 'A whole number of sat, at least 1.',
      tooMuch: (balance: number): string => `The wallet holds ${number.format(balance)} sat.`,
      memoTooLong: 'At most 1,000 characters.',
    },
    done: (amount: number, fee: number): string =>
      `A token of ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    doneHint: 'Give it to one person. Until it is redeemed you can take it back; it stays in the history.',
    redeemed: 'It has been redeemed.',
    reclaimed: 'You took it back.',
    another: 'Done',
    pendingTitle: 'The token is on its way',
    pendingHint:
      'The answer of the mint is missing. The wallet finds out by itself, also after a restart; the token will then be here and in the history. There is nothing to do.',
    refusals: {
      insufficient_funds: 'Not enough in the wallet',
      already_spent: 'The wallet’s own proofs are spent',
      token_too_large: 'Too many proofs for the mint',
      mint_refused: 'The mint refused it',
      mint_error: 'The mint gave no usable answer',
      mint_unreachable: 'The mint cannot be reached',
      idempotency_key_in_use: 'It is being made already',
      offline: 'The API did not answer',
      unexpected_answer: 'Unexpected answer',
      unauthorized: 'This page needs the operator token',
      disk_full: 'The disk is full',
      wallet_damaged: 'The wallet cannot be read',
    } as Readonly<Record<string, string>>,
    refusedFallback: 'Nothing was sent',
    advice: {
      offline: 'Whether the token was made is not known. Try again: the same send cannot be made twice.',
      unexpected_answer:
        'Whether the token was made is not known. Try again: the same send cannot be made twice.',
      internal: 'Try again: the same send cannot be made twice.',
    } as Readonly<Record<string, string>>,
    devMode: 'DEV MODE moves no real sats, so there is nothing to send, take back, back up or restore.',
  },

  operatorParts: 'Send and backup',

  locked: {
    title: 'This needs the operator token',
    hint: 'Sending, backup and restore are for the person at this machine. Open the page in the desktop window, or at the address that dot-mi printed at its start (it ends in #token=…).',
  },

  token: {
    show: 'Show token',
    hide: 'Hide token',
    label: 'The token that was sent',
    copy: 'Copy token',
    warning: 'Whoever has it can redeem it.',
    showQr: 'Show QR code',
    hideQr: 'Hide QR code',
    qr: 'QR code of the token',
    qrPart: (part: number, count: number): string => `QR code, part ${part} of ${count}`,
    part: (part: number, count: number): string =>
      part <= count
        ? `Part ${number.format(part)} of ${number.format(count)}`
        : `Part ${number.format(part)}; any ${number.format(count)} or a few more are enough`,
    play: 'Play',
    pause: 'Pause',
    next: 'Next part',
    previous: 'Previous part',
    animatedHint: 'Too large for one code: hold the camera on it until the other wallet has all parts.',
  },

  reclaim: {
    button: 'Take back',
    reclaiming: 'Taking back…',
    title: (amount: number): string => `Take back ${number.format(amount)} sat?`,
    description:
      'The token that was sent will be worth nothing then: whoever holds it cannot redeem it. The mint may keep a fee.',
    confirm: 'Take back',
    done: (amount: number, fee: number): string =>
      `Took back ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    pending: 'It is being taken back; the history shows when it is done',
    failed: 'It was not taken back',
  },

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

  history: {
    heading: 'History',
    label: 'Operations, newest first',
    kinds: { receive: 'Receive', send: 'Send', reclaim: 'Reclaim', restore: 'Restore', swap: 'Swap' },
    kindHints: {
      receive: 'A token was redeemed into the wallet',
      send: 'A token was taken out of the wallet',
      reclaim: 'A sent token was taken back',
      restore: 'Brought back from the backup words',
      swap: 'Moved to a newer keyset of the mint; only the fee left the wallet',
    },
    states: { pending: 'pending', completed: 'completed', failed: 'failed' },
    fates: { unspent: 'not redeemed yet', redeemed: 'redeemed', reclaimed: 'reclaimed' },
    signs: { in: '+', out: '−', none: '' },
    fee: (fee: number): string => `fee ${number.format(fee)} sat`,
    memo: 'Memo:',
    more: 'Show more',
    moreFailed: 'Older operations could not be read:',
    none: 'Nothing yet',
    noneHint: 'What is received, sent or taken back appears here by itself.',
    locked: 'The history needs the operator token',
    lockedHint:
      'It shows tokens that were sent, and those are money. Open the page in the desktop window, or at the address that dot-mi printed at its start (it ends in #token=…).',
  },
} as const;
