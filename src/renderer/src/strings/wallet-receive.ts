import { many, number } from './words.ts';

/** The wallet's texts about receiving tokens. */
export const walletReceive = {
  receive: {
    heading: 'Receive',
    unreceived: 'A token is waiting to be received.',
    field: 'Cashu token',
    placeholder: 'Paste a token (cashuA…, cashuB… or a cashu: link), or drop a file with one',
    receive: 'Receive',
    receiveAll: (count: number): string => `Receive ${many(count, 'token', 'tokens')}`,
    results: 'Results',
    nth: (position: number): string => `Token ${number.format(position)}`,
    receiving: 'Receiving…',
    tryAgain: 'Try again',
    checkAgain: 'Check again',
    shortcut: 'Ctrl+Enter',
    shortcutMac: '⌘ Enter',
    checking: 'Checking…',
    valid: 'Valid: the mint says it is unspent',
    unverified: 'Unspent, but the signatures aren’t checked',
    unverifiedHint:
      'The mint says that these proofs are unspent. Without DLEQ their signatures can’t be checked here.',
    unchecked: 'Not checked',
    uncheckedHint: 'This is test money. dot-mi accepts every token without asking the mint.',
    unknown: {
      title: 'dot-mi couldn’t check this token',
      hint: 'You can still receive it. If the mint doesn’t accept it, the token stays valid.',
    },
    details: {
      amount: 'Amount',
      fee: 'Fee',
      credited: 'You get',
      mint: 'Mint',
      memo: 'Memo',
      proofs: 'Proofs',
    },
    chooseFile: 'Choose file…',
    fileTooLarge: 'That file is too large to be a token',
    fileUnreadable: 'dot-mi couldn’t read that file',
    fileNotText: 'That file isn’t text, so it holds no token',
    link: {
      wrongScheme: {
        title: 'That link holds no token',
        hint: 'After cashu:, a Cashu token starts with cashuA or cashuB.',
      },
      tooLong: {
        title: 'That link is too long',
        hint: 'It’s longer than 100 kB. Save the token as a file and drop it here instead.',
      },
    },
    waiting: {
      title: 'Another token is waiting',
      hint: 'It arrived while the field already held a token.',
      notYet: 'You can use it when this receive has finished.',
      take: 'Put it in the field',
    },
    done: (amount: number | undefined, fee: number | undefined): string =>
      [
        amount === undefined ? 'Received' : `Received ${number.format(amount)} sat`,
        fee !== undefined && `fee ${number.format(fee)} sat`,
      ]
        .filter(Boolean)
        .join(', '),
    doneBefore: (time: string): string => `The wallet received it at ${time}. Only its answer was lost.`,
    doneSimulated: 'This is test money. No real sats moved.',
    ownReceived: (amount: number | undefined, time: string): string =>
      amount === undefined
        ? `This wallet received this token already, at ${time}`
        : `This wallet received this token already: ${number.format(amount)} sat at ${time}`,
    ownReceivedBefore: 'This wallet received this token already',
    ownReceiving: 'This wallet is receiving this token now',
    showEntry: 'Show it in the history',
    pendingTitle: 'The mint may have redeemed it',
    pendingHint:
      'The mint hasn’t answered. The wallet keeps checking, even after a restart. You don’t need to do anything.',
    operation: 'Operation',
    failedUnknown: 'The wallet gave no reason.',
  },

  /** Titles of a refused receive, by code, where they differ from the table of errors. */
  refusals: {
    released: 'You released this receive',
    idempotency_key_in_use: 'The wallet is already receiving this token',
    idempotency_key_reused: 'The same request was sent with another token',
    offline: 'dot-mi didn’t answer',
    unexpected_answer: 'Unexpected answer',
    unauthorized: 'This page needs a token',
    operator_required: 'This page needs the operator token',
    body_too_large: 'Too long to be a token',
  } as Readonly<Record<string, string>>,

  refusedFallback: 'The token wasn’t received',

  /** Advice in addition to the server's sentence, by code. */
  advice: {
    offline:
      'dot-mi can’t tell whether the wallet received the token. Start dot-mi and try again. A token never pays twice.',
    unexpected_answer:
      'dot-mi can’t tell whether the wallet received the token. Try again. A token never pays twice.',
    internal: 'Try again. A token never pays twice.',
    wallet_busy: 'Wait for the other operation to finish, then try again.',
    released: 'You have the token as text. You can try to receive it again.',
  } as Readonly<Record<string, string>>,

  /** Tokens that were received as test money and may be real. */
  testTokens: {
    title: (count: number): string => `${many(count, 'token', 'tokens')} received while testing may be real`,
    hint: 'Test money accepted them without asking the mint. Redeem them to find out which ones are worth something.',
    seedMissing: 'Fix the backup words first. The wallet can’t receive without them.',
    redeemAll: 'Redeem all',
    redeeming: 'Redeeming…',
    review: 'Review list',
    hide: 'Hide list',
    list: 'Tokens received while testing',
    redeem: 'Redeem',
    redeemLabel: (amount: number): string => `Redeem ${number.format(amount)} sat`,
    redeemed: (amount: number, fee: number): string =>
      `Redeemed ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    redeemedSome: (done: number, all: number, amount: number): string =>
      `Redeemed ${number.format(done)} of ${many(all, 'token', 'tokens')}: ${number.format(amount)} sat`,
    failed: (amount: number): string => `dot-mi couldn’t redeem the token of ${number.format(amount)} sat`,
    drop: 'Drop…',
    dropLabel: (amount: number): string => `Drop ${number.format(amount)} sat…`,
    dropTitle: (amount: number): string => `Drop the token of ${number.format(amount)} sat?`,
    dropDescription:
      'dot-mi deletes its copy of this token. If the token is real and you have no other copy, its sats are lost.',
    dropConfirm: 'Drop token',
    dropped: 'Token dropped',
    dropFailed: 'The token wasn’t dropped',
  },
} as const;
