import { walletBackup } from './wallet-backup.ts';
import { walletReceive } from './wallet-receive.ts';
import { walletSend } from './wallet-send.ts';
import { number } from './words.ts';

const usd = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** Texts of the wallet. */
export const wallet = {
  restart: 'Restart dot-mi',
  restartFailed: 'dot-mi couldn’t restart',
  heading: 'Wallet',
  description: 'Ecash from one mint, kept on this machine.',
  testMoney: 'Test money',
  sats: (amount: number): string => `${number.format(amount)} sat`,
  amount: (amount: number, unit: string): string => `${number.format(amount)} ${unit}`,
  ...walletReceive,
  ...walletSend,
  ...walletBackup,

  balance: {
    heading: 'Balance',
    sats: (amount: number): string => number.format(amount),
    unit: 'sat',
    usd: (value: number): string => `≈ ${value < 0.01 ? 'less than $0.01' : usd.format(value)}`,
    chart: (from: number, to: number): string =>
      `Balance over seven days, from ${number.format(from)} to ${number.format(to)} sat`,
    change: (sats: number): string =>
      sats === 0
        ? 'Unchanged in 7 days'
        : `${sats > 0 ? '+' : '−'}${number.format(Math.abs(sats))} sat in 7 days`,
    pending: (amount: number): string => `+ ${number.format(amount)} sat pending`,
    pendingHint: 'In operations that haven’t finished yet. The wallet finishes them automatically.',
    unlisted: (amount: number): string =>
      `${number.format(amount)} sat of the balance are on keysets that the mint no longer lists. The wallet keeps them, but the mint may not accept them.`,
    expired: (amount: number): string => `${number.format(amount)} sat expired`,
    expiredHint:
      'They are on keysets that have expired, so the balance doesn’t count them. The wallet keeps them, but the mint may refuse them.',
    otherMints: 'At earlier mints',
    otherMintsHint: 'The balance doesn’t count these sats. To spend them, set the mint back in Settings.',
    otherPending: (amount: number): string => `+ ${number.format(amount)} pending`,
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
    hint: 'Only the person at this machine can do this. Close this and sign in on the wallet page.',
  },

  assign: {
    title: 'Agent and label',
    description: (amount: number): string =>
      `These ${number.format(amount)} sat count for the agent you choose, in its activity and in the overview.`,
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
    /** Of the kinds that their names don't explain. */
    kindHints: {
      swap: 'The wallet moved its own sats to newer proofs. Only the fee left the wallet.',
      recovered: 'The mint signed these sats for this wallet’s words, but the wallet didn’t know about them.',
      spent_elsewhere: 'Another copy of this wallet spent these sats.',
    } as Readonly<Record<string, string>>,
    released:
      'You released this and got its token as text. The wallet keeps checking, and credits the sats if the mint finished it after all.',
    states: { pending: 'pending', failed: 'failed' },
    fates: { unspent: 'not redeemed yet', reclaimed: 'taken back' },
    signs: { in: '+', out: '−', none: '' },
    fee: (fee: number): string => `fee ${number.format(fee)} sat`,
    assign: 'Assign an agent',
    reassign: 'Change…',
    assignLabel: (agent: string | undefined, amount: string): string =>
      agent === undefined
        ? `Assign an agent to ${amount}…`
        : `Change the agent ${agent} or the label of ${amount}…`,
    memo: 'Memo:',
    more: 'Show more',
    moreFailed: 'dot-mi couldn’t read older operations:',
    none: 'Nothing yet',
    noneHint: 'Press Receive and paste a token, or drop a file with one anywhere on this page.',
    locked: 'Sign in to send and see the history',
    lockedHint:
      'The history shows sent tokens, and those are money. Open the link dot-mi printed in your terminal (it ends in #token=…), or paste it here.',
  },
} as const;
