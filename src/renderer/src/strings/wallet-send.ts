import { number } from './words.ts';

/** The wallet's texts about sending and reclaiming tokens. */
export const walletSend = {
  send: {
    heading: 'Send',
    description: 'Turns sats into a token that one person can redeem.',
    amount: 'Amount in sat',
    memo: 'Memo (optional)',
    memoHint: 'Anyone who gets the token can read it.',
    send: 'Send',
    sending: 'Making the token…',
    tryAgain: 'Try again',
    invalid: {
      notWhole: 'Enter a whole number of sat, at least 1.',
      tooMuch: (balance: number): string => `The wallet holds ${number.format(balance)} sat.`,
      memoTooLong: 'Use at most 1,000 characters.',
    },
    done: (amount: number, fee: number): string =>
      `A token of ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    doneLate: (time: string, amount: number, fee: number): string =>
      `Your token from ${time} is ready: ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    doneLateHint:
      'This page couldn’t show it until now. If you already gave it away from the history, don’t give it away again.',
    doneHint:
      'Give it to one person. You can take it back until someone redeems it. It stays in the history.',
    redeemed: 'Someone redeemed it.',
    reclaimed: 'You took it back.',
    another: 'Done',
    pendingTitle: 'The token isn’t ready yet',
    pendingHint:
      'The mint hasn’t answered. The wallet keeps checking, even after a restart. The token then appears here and in the history.',
    unsureTitle: 'dot-mi is checking whether the wallet made the token',
    unsureHint: 'The answer was lost. You can send again once this is settled.',
    notMade: 'The wallet has no record of this send. You can send again.',
    failedUnknown: 'The wallet gave no reason.',
    feeTooHigh: (fee: number, amount: number): string =>
      `The mint wants ${number.format(fee)} sat to send ${number.format(amount)} sat. Nothing was sent.`,
    acceptFee: (fee: number): string => `Pay ${number.format(fee)} sat and send`,
    refusals: {
      not_made: 'The wallet didn’t make a token',
      already_spent: 'The wallet’s own proofs are already spent',
      idempotency_key_in_use: 'The wallet is already making this token',
      offline: 'dot-mi didn’t answer',
      unexpected_answer: 'Unexpected answer',
      unauthorized: 'This page needs the operator token',
      operator_required: 'This page needs the operator token',
      released: 'You released this send',
    } as Readonly<Record<string, string>>,
    refusedFallback: 'Nothing was sent',
    advice: {
      internal: 'The history shows no token of this send. You can send again.',
    } as Readonly<Record<string, string>>,
  },

  token: {
    show: 'Show token',
    hide: 'Hide token',
    label: 'The sent token',
    copy: 'Copy token',
    warning: 'Anyone who has it can redeem it.',
    showQr: 'Show QR code',
    hideQr: 'Hide QR code',
    qr: 'QR code of the token',
    qrPart: (part: number, count: number): string => `QR code, part ${part} of ${count}`,
    part: (part: number, count: number): string =>
      part <= count
        ? `Part ${number.format(part)} of ${number.format(count)}`
        : `Part ${number.format(part)}. Any ${number.format(count)} parts or a few more are enough.`,
    play: 'Play',
    pause: 'Pause',
    next: 'Next part',
    previous: 'Previous part',
    animatedHint:
      'This token is too large for one code. Hold the camera on it until the other wallet has all parts.',
  },

  reclaim: {
    button: 'Take back',
    reclaiming: 'Taking back…',
    title: (amount: number): string => `Take back ${number.format(amount)} sat?`,
    description:
      'The sent token becomes worthless, and nobody can redeem it anymore. The mint may charge a fee.',
    confirm: 'Take back',
    done: (amount: number, fee: number): string =>
      `Took back ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    pending: 'The wallet is taking it back. The history shows when it’s done.',
    failed: 'The token wasn’t taken back',
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
    failed: 'The operation wasn’t released',
    advice: {
      not_releasable: 'It may have finished a moment ago. The history shows how it ended.',
    } as Readonly<Record<string, string>>,
  },
} as const;
