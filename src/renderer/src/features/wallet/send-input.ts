import { sendToken } from '../../../../shared/api/wallet.ts';

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
  const digits = typed.amount.replaceAll(/[\s,_’']/g, '');
  const memo = typed.memo.trim();
  const amount = /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
  const isMemoWrong = !sendToken.body.shape.memo.safeParse(memo).success;
  const wrong =
    !Number.isSafeInteger(amount) || amount < 1 ? 'notWhole' : amount > balance ? 'tooMuch' : undefined;
  if (digits === '' && !isMemoWrong) return { status: 'empty' };
  if (isMemoWrong || wrong) {
    return {
      status: 'wrong',
      amount: digits === '' ? undefined : wrong,
      memo: isMemoWrong ? 'memoTooLong' : undefined,
    };
  }
  return { status: 'ok', amount, memo };
};
