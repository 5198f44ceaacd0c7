import { walletBackup } from './wallet-backup.ts';
import { walletReceive } from './wallet-receive.ts';
import { walletSend } from './wallet-send.ts';
import { number } from './words.ts';

/** Texts of the wallet. */
export const wallet = {
  heading: 'Wallet',
  description: 'Ecash of one mint, kept on this machine.',
  sats: (amount: number): string => `${number.format(amount)} sat`,
  amount: (amount: number, unit: string): string => `${number.format(amount)} ${unit}`,
  ...walletReceive,
  ...walletSend,
  ...walletBackup,

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

  operatorParts: 'Send and backup',

  locked: {
    title: 'This needs the operator token',
    hint: 'Sending, backup and restore are for the person at this machine. Open the page in the desktop window, or at the address that dot-mi printed at its start (it ends in #token=…).',
  },

  history: {
    heading: 'History',
    label: 'Operations, newest first',
    kinds: { receive: 'Receive', send: 'Send', reclaim: 'Take back', restore: 'Restore', swap: 'Swap' },
    kindHints: {
      receive: 'A token was redeemed into the wallet',
      send: 'A token was taken out of the wallet',
      reclaim: 'A sent token was taken back',
      restore: 'Brought back from the backup words',
      swap: 'Moved to a newer keyset of the mint; only the fee left the wallet',
    },
    states: { pending: 'pending', completed: 'completed', failed: 'failed' },
    fates: { unspent: 'not redeemed yet', redeemed: 'redeemed', reclaimed: 'taken back' },
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
