import { number } from './words.ts';

/** Texts of sending tokens and taking them back; a part of those of the wallet. */
export const walletSend = {
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
      'The mint hasn’t answered. The wallet keeps checking, even after a restart. The token then appears here and in the history.',
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
      released: 'You released this send',
      wallet_busy: 'The wallet is busy',
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

  release: {
    button: 'Release…',
    title: (amount: number): string => `Release ${number.format(amount)} sat?`,
    description: 'The mint isn’t finishing this operation. Release it so that nothing is trapped.',
    outsidePoint: 'You get the token as text. You can receive it again later or use it in another wallet.',
    insidePoint: 'The sats go back to your balance, and you get a copy of them as a token.',
    checkPoint:
      'The wallet keeps checking. If the mint finished the operation after all, the wallet credits the sats.',
    confirm: 'Release',
    releasing: 'Releasing…',
    doneTitle: (amount: number): string => `Released ${number.format(amount)} sat`,
    doneDescription: 'Copy this token and keep it safe before you close this.',
    outside:
      'The token isn’t in your balance. You can receive it again here once the mint works, or in another wallet.',
    inside:
      'These sats are back in your balance, and this token is a copy of them. If someone redeems it, the sats leave this wallet.',
    token: 'The released token',
    copy: 'Copy token',
    failed: 'It wasn’t released',
    titles: {
      not_releasable: 'This operation can’t be released',
      operation_not_found: 'The wallet doesn’t know this operation',
    } as Readonly<Record<string, string>>,
    advice: {
      not_releasable: 'It may have finished a moment ago. The history shows how it ended.',
    } as Readonly<Record<string, string>>,
  },
} as const;
