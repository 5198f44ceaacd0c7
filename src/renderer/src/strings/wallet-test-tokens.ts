import { many, number } from './words.ts';

/** Texts of tokens that were received in DEV MODE and may be real; a part of those of the wallet. */
export const walletTestTokens = {
  testTokens: {
    title: (count: number): string => `${many(count, 'token', 'tokens')} received while testing may be real`,
    hint: 'DEV MODE accepted them without asking the mint. Redeem them to find out which ones are worth something.',
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
