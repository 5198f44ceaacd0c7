import { createHash } from 'node:crypto';
import type { Answer } from './server.ts';
import type { WalletServer } from './wallet.ts';

/** Shorthands for the routes of charges. */

/** A hash of what is sold. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the tests sell. */
export const REQUEST = hashOf('translate this');

type Fields = Readonly<Record<string, unknown>>;

/** Asks for an amount, or for what `fields` say if it is undefined. */
export const askFor = (
  wallet: WalletServer,
  amount: number | undefined,
  fields: Fields = {},
): Promise<Answer> =>
  wallet.call('POST', '/api/charges', {
    ...(amount === undefined ? {} : { amount }),
    requestHash: REQUEST,
    ...fields,
  });

export const payCharge = (wallet: WalletServer, id: string, token: string): Promise<Answer> =>
  wallet.call('POST', `/api/charges/${id}/pay`, { token });

export const openAndPay = (
  wallet: WalletServer,
  amount: number,
  token: string,
  fields: Fields = {},
): Promise<Answer> =>
  wallet.call('POST', '/api/charges/open-and-pay', { amount, requestHash: REQUEST, token, ...fields });

export const settleCharge = (wallet: WalletServer, id: string, use: Fields | number): Promise<Answer> =>
  wallet.call('POST', `/api/charges/${id}/settle`, typeof use === 'number' ? { amount: use } : use);

export const releaseCharge = (wallet: WalletServer, id: string): Promise<Answer> =>
  wallet.call('POST', `/api/charges/${id}/release`, {});

export const refundOf = (wallet: WalletServer, token: string): Promise<Answer> =>
  wallet.call('POST', '/api/charges/refund', { token });

export const chargeOf = async (wallet: WalletServer, id: string) =>
  (await wallet.call('GET', `/api/charges/${id}`)).body;

/** The balance and what of it is held for customers, in sat. */
export const heldOf = async (wallet: WalletServer): Promise<{ balance: number; held: number }> => {
  const { balance, held = 0 } = (await wallet.call('GET', '/api/wallet/balance')).body;
  return { balance, held };
};
