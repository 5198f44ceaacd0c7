import { walletBackup } from './wallet-backup.ts';
import { many, number } from './words.ts';

const usd = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** Strings for the wallet. */
export const wallet = {
  restart: 'Restart dot-mi',
  restartFailed: 'dot-mi couldn’t restart',
  heading: 'Wallet',
  description: 'Ecash from one mint, kept on this computer.',
  testMoney: 'Test money',
  sats: (amount: number): string => `${number.format(amount)} sat`,
  amount: (amount: number, unit: string): string => `${number.format(amount)} ${unit}`,
  ...walletBackup,

  receive: {
    heading: 'Receive',
    unreceived: 'A token is waiting to be received.',
    field: 'Cashu token',
    placeholder: 'Paste a token, or any text with tokens in it. You can also drop a file.',
    ourMint: (mint: string): string => `This wallet receives tokens from ${mint}.`,
    anyMint: 'With test money, the wallet accepts tokens from any mint.',
    wrongMint: (theirs: string, ours: string): string =>
      `It’s from ${theirs || 'several mints'}. This wallet receives tokens only from ${ours}, so ask the sender for one.`,
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
    unverifiedHint: 'The token has no DLEQ proofs, so dot-mi can’t check its signatures.',
    unchecked: 'Not checked',
    uncheckedHint: 'With test money, dot-mi accepts every token.',
    unknown: {
      title: 'dot-mi couldn’t check this token',
      hint: 'You can still receive it. The mint checks it then.',
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
    fileNotText: 'That file isn’t text, so it doesn’t contain a token',
    link: {
      wrongScheme: {
        title: 'That link doesn’t contain a token',
        hint: 'A cashu: link must contain a token that starts with cashuA or cashuB.',
      },
      tooLong: {
        title: 'That link is too long',
        hint: 'Save the token as a file and drop it here instead.',
      },
    },
    waiting: {
      title: 'Another token is waiting',
      hint: 'It arrived while the field had another token.',
      notYet: 'You can use it when the wallet has finished with the current token.',
      take: 'Put it in the field',
    },
    done: (amount: number | undefined, fee: number | undefined): string =>
      [
        amount === undefined ? 'Received' : `Received ${number.format(amount)} sat`,
        fee !== undefined && `fee ${number.format(fee)} sat`,
      ]
        .filter(Boolean)
        .join(', '),
    doneBefore: (time: string): string => `The wallet received it at ${time}. Only the response was lost.`,
    doneFor: (agent: string): string => `For ${agent}.`,
    doneSimulated: 'This is test money. No real sats moved.',
    ownReceived: (amount: number | undefined, time: string): string =>
      amount === undefined
        ? `This wallet already received this token, at ${time}`
        : `This wallet already received this token: ${number.format(amount)} sat at ${time}`,
    ownReceivedBefore: 'This wallet already received this token',
    ownReceiving: 'This wallet is receiving this token now',
    showEntry: 'Show it in the history',
    pendingTitle: 'The mint may have redeemed it',
    pendingHint: 'The wallet keeps checking, even after a restart.',
    operation: 'Operation',
    failedUnknown: 'The wallet gave no reason.',
  },

  /** Titles for a refused receive, by code, if they differ from the error table's. */
  refusals: {
    released: 'You released this operation',
    idempotency_key_in_use: 'The wallet is already receiving this token',
    idempotency_key_reused: 'This request’s Idempotency-Key was already used for another token',
    offline: 'dot-mi didn’t respond',
    unexpected_answer: 'Unexpected response',
    unauthorized: 'This page needs an API token',
    operator_required: 'This page needs the operator token',
    body_too_large: 'Too long to be a token',
  } as Readonly<Record<string, string>>,

  refusedFallback: 'The token wasn’t received',

  /** Advice in addition to the server's sentence, by code. */
  advice: {
    offline:
      'dot-mi can’t tell whether the wallet received the token. Start dot-mi and try again. That’s safe, because a token can be received only once.',
    unexpected_answer:
      'dot-mi can’t tell whether the wallet received the token. Try again. That’s safe, because a token can be received only once.',
    internal: 'Try again. That’s safe, because a token can be received only once.',
    wallet_busy: 'Wait for the other operation to finish, then try again.',
    released: 'You have the token as text. You can try to receive it again.',
  } as Readonly<Record<string, string>>,

  /** Strings for tokens that were received as test money and may be real. */
  testTokens: {
    title: (count: number): string => `${many(count, 'token', 'tokens')} received while testing may be real`,
    hint: 'Receive them to find out which ones are real.',
    seedMissing: 'Fix the backup words first. The wallet can’t receive without them.',
    redeemAll: 'Receive all',
    redeeming: 'Receiving…',
    review: 'Review list',
    hide: 'Hide list',
    list: 'Tokens received while testing',
    redeem: 'Receive',
    redeemLabel: (amount: number): string => `Receive ${number.format(amount)} sat`,
    redeemed: (amount: number, fee: number): string =>
      `Received ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    redeemedSome: (done: number, all: number, amount: number): string =>
      `Received ${number.format(done)} of ${many(all, 'token', 'tokens')}: ${number.format(amount)} sat`,
    failed: (amount: number): string => `dot-mi couldn’t receive the ${number.format(amount)}-sat token`,
    drop: 'Discard…',
    dropLabel: (amount: number): string => `Discard ${number.format(amount)} sat…`,
    dropTitle: (amount: number): string => `Discard the ${number.format(amount)}-sat token?`,
    dropDescription:
      'dot-mi deletes its copy of this token. If the token is real and you have no other copy, its sats are lost.',
    dropConfirm: 'Discard token',
    dropped: 'Token discarded',
    dropFailed: 'The token wasn’t discarded',
  },

  send: {
    heading: 'Send',
    description: 'Turns sats into a token that one person can redeem.',
    amount: 'Amount in sats',
    memo: 'Memo (optional)',
    memoHint: 'Anyone who gets the token can read the memo.',
    send: 'Send',
    sending: 'Creating the token…',
    tryAgain: 'Try again',
    invalid: {
      notWhole: 'Enter a whole number of sats, at least 1.',
      tooMuch: (balance: number): string => `The wallet holds ${number.format(balance)} sat.`,
      memoTooLong: 'Use at most 1,000 characters.',
    },
    done: (amount: number, fee: number): string =>
      `A token for ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    doneLate: (time: string, amount: number, fee: number): string =>
      `Your token from ${time} is ready: ${number.format(amount)} sat${fee > 0 ? `, fee ${number.format(fee)} sat` : ''}`,
    doneLateHint:
      'This page couldn’t show it until now. If you already copied it from the history and gave it to someone, don’t give it away again.',
    doneHint: 'Give it to one person. You can take it back until they redeem it.',
    doneTestHint: 'To play a customer, copy the token, then receive it for one of your agents.',
    redeemed: 'Someone redeemed it.',
    reclaimed: 'You took it back.',
    another: 'Done',
    pendingTitle: 'The token isn’t ready yet',
    pendingHint: 'The wallet keeps checking, even after a restart.',
    unsureTitle: 'dot-mi is checking whether the wallet made the token',
    unsureHint:
      'The response was lost. You can send again once the wallet knows whether it created the token.',
    notMade: 'Nothing was sent. You can send again.',
    failedUnknown: 'The wallet gave no reason.',
    feeTooHigh: (fee: number, amount: number): string =>
      `The mint wants ${number.format(fee)} sat to send ${number.format(amount)} sat. Nothing was sent.`,
    acceptFee: (fee: number): string => `Pay ${number.format(fee)} sat and send`,
    refusals: {
      not_made: 'The wallet didn’t make a token',
      already_spent: 'The wallet’s own proofs are already spent',
      idempotency_key_in_use: 'The wallet is already making this token',
      offline: 'dot-mi didn’t respond',
      unexpected_answer: 'Unexpected response',
      unauthorized: 'This page needs the operator token',
      operator_required: 'This page needs the operator token',
      released: 'You released this operation',
    } as Readonly<Record<string, string>>,
    refusedFallback: 'Nothing was sent',
    advice: {
      internal: 'Nothing was sent. You can send again.',
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
        : `Part ${number.format(part)}. Any ${number.format(count)} parts are usually enough.`,
    play: 'Play',
    pause: 'Pause',
    next: 'Next part',
    previous: 'Previous part',
    animatedHint: 'Point the other wallet’s camera at the code until that wallet has the whole token.',
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
    description: 'The mint isn’t finishing this operation.',
    outsidePoint: 'You get the token as text. You can receive it again later or use it in another wallet.',
    insidePoint: 'The sats go back to your balance.',
    checkPoint: 'If the mint finished the operation after all, the wallet credits the sats.',
    sendCheckPoint: 'If the mint made the token after all, its sats leave your balance.',
    confirm: 'Release',
    releasing: 'Releasing…',
    doneTitle: (amount: number): string => `Released ${number.format(amount)} sat`,
    doneDescription: 'Copy this token and keep it safe before you close this.',
    outside: 'The token isn’t in your balance. Receive it here once the mint works, or in another wallet.',
    returned: 'Released. The sats are back in your balance.',
    token: 'The released token',
    copy: 'Copy token',
    failed: 'The operation wasn’t released',
    advice: {
      not_releasable: 'It may have finished a moment ago. The history shows how it ended.',
    } as Readonly<Record<string, string>>,
  },

  balance: {
    heading: 'Balance',
    sats: (amount: number): string => number.format(amount),
    unit: 'sat',
    usd: (value: number): string => `≈ ${value < 0.01 ? 'less than $0.01' : usd.format(value)}`,
    pending: (amount: number): string => `+ ${number.format(amount)} sat pending`,
    held: (amount: number): string =>
      `${number.format(amount)} sat of the balance belong to customers until the work they paid for is done.`,
    pendingHint: 'The wallet finishes these operations automatically.',
    unlisted: (amount: number): string =>
      `${number.format(amount)} sat of the balance are on keysets that the mint no longer lists, so it may refuse them.`,
    dust: (amount: number): string =>
      `${number.format(amount)} sat of the balance are in proofs that cost more in fees than they’re worth. The wallet doesn’t spend them unless the mint lowers its fee.`,
    expired: (amount: number): string => `${number.format(amount)} sat expired`,
    expiredHint:
      'Their keysets have expired, so the balance doesn’t count them and the mint may refuse them.',
    otherMints: 'At earlier mints',
    otherMintsHint: 'To spend these sats, change the mint back in Settings.',
    otherPending: (amount: number): string => `+ ${number.format(amount)} pending`,
    unchecked: 'Not checked with the mint yet',
  },

  /** Strings for a mint that may be an earlier one at another address. */
  otherAddress: {
    title: 'Your wallet knows this mint at another address',
    hint: (from: string): string =>
      `This mint lists the keysets of ${from}, so the wallet doesn’t use it yet. Did that mint’s operator announce this address? Then use it, and your sats move with it. If not, change the mint back in Settings. Otherwise, a stranger could get your sats.`,
    change: 'Use the new address',
    restart: 'Restart dot-mi to use the new address.',
    failed: 'The address wasn’t changed',
  },

  /** Strings for a mint that lists another mint's keysets as its own. */
  foreignKeysets: {
    title: 'Don’t trust this mint',
    hint: (mint: string): string =>
      `It lists keysets of ${mint} as its own, perhaps to get your sats there. The wallet doesn’t use them here.`,
  },

  /** Strings for sats that the wallet holds, but that the mint hasn't confirmed. */
  unconfirmed: {
    title: (amount: number): string => `${number.format(amount)} sat not confirmed`,
    hint: 'They aren’t in your balance until the mint confirms them.',
    check: 'Check now',
    checking: 'Checking…',
    checkFailed: 'The check failed',
    confirmed: 'The mint confirmed all sats.',
    still: (amount: number): string =>
      `The mint still hasn’t confirmed ${number.format(amount)} sat. The wallet keeps checking.`,
    noneLeft: 'All sats are settled. The history shows any that were spent elsewhere.',
  },

  mint: {
    heading: 'Mint',
    copy: 'Copy mint URL',
    states: {
      asking: 'checking…',
      reachable: 'reachable',
      unreachable: 'unreachable',
      error: 'error',
      simulated: 'not contacted',
    },
    checked: 'Checked',
  },

  locked: {
    hint: 'Close this and sign in on the wallet page.',
  },

  assign: {
    title: 'Agent and label',
    description: (amount: number): string =>
      `These ${number.format(amount)} sat count as earned by the agent you choose.`,
    agent: 'Agent',
    none: 'No agent',
    label: 'Label (optional)',
    save: 'Save',
    failed: 'Nothing was saved',
  },

  history: {
    heading: 'History',
    today: 'Today',
    yesterday: 'Yesterday',
    label: 'Operations, newest first',
    kinds: {
      receive: 'Receive',
      send: 'Send',
      reclaim: 'Take back',
      restore: 'Restore',
      swap: 'Swap',
      recovered: 'Recovered',
      spent_elsewhere: 'Spent elsewhere',
    },
    /** Hints for kinds whose names aren't clear enough. */
    kindHints: {
      swap: 'The wallet moved its own sats to newer proofs. Only the fee left the wallet.',
      recovered: 'The mint signed these sats for this wallet’s words, but the wallet didn’t know about them.',
      spent_elsewhere: 'Another copy of this wallet spent these sats.',
    } as Readonly<Record<string, string>>,
    released:
      'You released this and got its token as text. If the mint finished it after all, the wallet credits the sats.',
    releasedOwn: 'You released this, and its sats went back to your balance.',
    states: { pending: 'pending', failed: 'failed' },
    fates: { unspent: 'not redeemed yet', reclaimed: 'taken back' },
    signs: { in: '+', out: '−', none: '' },
    fee: (fee: number): string => `fee ${number.format(fee)} sat`,
    assign: 'Assign an agent',
    reassign: 'Change…',
    assignLabel: (agent: string | undefined, amount: string): string =>
      agent === undefined
        ? `Assign an agent to ${amount}…`
        : `Change the agent (${agent}) or the label for ${amount}…`,
    memo: 'Memo:',
    more: 'Show more',
    moreFailed: 'dot-mi couldn’t read older operations',
    none: 'Nothing yet',
    noneHint: 'Receive a token, or drop a file here that contains one.',
    locked: 'Sign in to send sats and see the history',
    lockedHint: 'Open the link dot-mi printed in your terminal (it ends in #token=…), or paste it here.',
  },
} as const;
