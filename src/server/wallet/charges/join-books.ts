import { AppError } from '../../platform/app-error.ts';
import { toAppError } from '../operations/problems.ts';
import type { ChargeBook, ChargeService } from './charge-book.ts';

/** The same function with errors that have a code. A mint that can't be asked throws its own. */
const withAppErrors =
  <A extends unknown[], T>(task: (...parameters: A) => Promise<T>) =>
  async (...parameters: A): Promise<T> => {
    try {
      return await task(...parameters);
    } catch (error) {
      throw toAppError(error);
    }
  };

/** The books of all mints as one. New charges are for the first, whose mint the wallet uses now. */
export const joinBooks = (main: ChargeBook, others: () => readonly ChargeBook[]): ChargeService => {
  const bookOf = (id: string) => others().find((book) => book.has(id)) ?? main;
  return {
    create: withAppErrors(main.create),
    pay: withAppErrors(async (id, ...rest) => bookOf(id).pay(id, ...rest)),
    openAndPay: withAppErrors(main.openAndPay),
    settle: withAppErrors(async (id, ...rest) => bookOf(id).settle(id, ...rest)),
    release: withAppErrors(async (id, ...rest) => bookOf(id).release(id, ...rest)),
    refund: withAppErrors(async (...parameters: Parameters<ChargeBook['refund']>) => {
      for (const book of others()) {
        const refunded = await book.refund(...parameters).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'charge_not_found') return undefined;
          throw error;
        });
        if (refunded) return refunded;
      }
      return main.refund(...parameters);
    }),
    get: (id, ...rest) => bookOf(id).get(id, ...rest),
    list(cursor, limit, ...filter) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
      const found = [main, ...others()]
        .flatMap((book) => book.page(before, limit + 1, ...filter))
        .sort((a, b) => b.number - a.number);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        charges: page.map(({ charge }) => charge),
        ...(found.length > limit && last ? { nextCursor: String(last.number) } : {}),
      };
    },
  };
};
