import { number } from './words.ts';

/** Texts of receiving tokens; a part of those of the wallet. */
export const walletReceive = {
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
      hint: 'You can still receive it. If the mint doesn’t accept it, the token stays valid.',
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
    },
    waiting: {
      title: 'Another token waits',
      hint: 'It came while the field held a token already.',
      notYet: 'It can be taken as soon as this receive has ended.',
      take: 'Put it into the field',
    },
    done: (amount: number | undefined, fee: number | undefined): string =>
      [
        amount === undefined ? 'Received' : `Received ${number.format(amount)} sat`,
        fee !== undefined && `fee ${number.format(fee)} sat`,
      ]
        .filter(Boolean)
        .join(', '),
    doneSimulated: 'Simulated: DEV MODE moves no real sats.',
    ownReceived: (date: string): string => `This wallet received this token on ${date}.`,
    ownReceivedBefore: 'This wallet received this token before.',
    ownReceiving: 'This wallet is receiving this token now.',
    showEntry: 'Show it in the history',
    pendingTitle: 'The mint may have taken it',
    pendingHint:
      'The mint hasn’t answered. The wallet keeps checking, even after a restart. You don’t need to do anything.',
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
      advice:
        'Someone redeemed all or part of this token before. If this wallet didn’t receive it, ask the sender for a new one.',
    },
    pending: {
      title: 'Being redeemed right now',
      advice: 'The mint is processing this token, perhaps for this wallet. Check again in a minute.',
    },
    locked: {
      title: 'Locked to a key',
      advice: 'Only the holder of that key can redeem it. Ask the sender for one that is not locked.',
    },
    invalid_signature: {
      title: 'This token is invalid or forged',
      advice: 'The mint’s signatures don’t match this token. Ask the sender for another one.',
    },
    unknown_keyset: {
      title: 'Unknown keyset',
      advice: 'The mint does not know the keys of this token. Ask the sender to swap it for a new one.',
    },
    below_fee: {
      title: 'Worth less than its fee',
      advice: 'The mint’s fee would take all of it, so nothing is left to receive. Ask for a larger token.',
    },
  },

  /** Titles of a refused receive, by code. */
  refusals: {
    token_too_large: 'Too many proofs for the mint',
    mint_refused: 'The mint refused it',
    mint_error: 'The mint gave no usable answer',
    mint_unreachable: 'The mint cannot be reached',
    redemption_pending: 'The mint may have taken it',
    operation_not_found: 'The wallet does not know this operation',
    seed_missing: 'The backup words are missing',
    wallet_busy: 'The wallet is busy',
    released: 'You released this receive',
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
    wallet_busy: 'Wait for the other operation to finish, then try again.',
    released: 'You have the token as text. You can try to receive it again.',
  } as Readonly<Record<string, string>>,
} as const;
