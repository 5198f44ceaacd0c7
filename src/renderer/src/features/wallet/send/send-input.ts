import { sendToken } from '../../../../../shared/api/wallet.ts';
import { readWholeNumber } from '../../../whole-number.ts';

/** What was typed of a send: what it means, or what is wrong with it. */
export type SendInput =
  | { readonly status: 'empty' }
  | { readonly status: 'ok'; readonly amount: number; readonly memo: string }
  | {
      readonly status: 'wrong';
      readonly amount: 'notWhole' | 'tooMuch' | undefined;
      readonly memo: 'memoTooLong' | undefined;
    };

/** Reads what was typed; separators of thousands are allowed. */
export const readSendInput = (typed: { amount: string; memo: string }, balance: number): SendInput => {
  const isEmpty = typed.amount.trim() === '';
  const amount = readWholeNumber(typed.amount);
  const memo = typed.memo.trim();
  const isMemoWrong = !sendToken.body.shape.memo.safeParse(memo).success;
  if (isEmpty && !isMemoWrong) return { status: 'empty' };
  const wrong = amount === null || amount < 1 ? 'notWhole' : amount > balance ? 'tooMuch' : undefined;
  if (isMemoWrong || amount === null || wrong) {
    return {
      status: 'wrong',
      amount: isEmpty ? undefined : wrong,
      memo: isMemoWrong ? 'memoTooLong' : undefined,
    };
  }
  return { status: 'ok', amount, memo };
};
