import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { TestMint } from './mint/test-mint.ts';
import type { Answer } from './server.ts';
import type { WalletServer } from './wallet.ts';

/** Shorthands for the routes of charges. */

/** A hash of what is sold. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the tests sell. */
export const REQUEST = hashOf('translate this');

type Fields = Readonly<Record<string, unknown>>;

const orderFor = (amount: number | undefined, fields: Fields) => ({
  ...(amount === undefined ? {} : { amount }),
  requestHash: REQUEST,
  ...fields,
});

/** Asks for an amount, or for what `fields` say if it is undefined. */
export const askFor = (
  wallet: WalletServer,
  amount: number | undefined,
  fields: Fields = {},
): Promise<Answer> => wallet.call('POST', '/api/charges', orderFor(amount, fields));

/** Gets the price of the same, without a charge. */
export const quoteFor = (
  wallet: WalletServer,
  amount: number | undefined,
  fields: Fields = {},
): Promise<Answer> => wallet.call('POST', '/api/charges/quote', orderFor(amount, fields));

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

/** A charge that a token paid. */
export interface HeldCharge {
  id: string;
  token: string;
  /** What arrived, in sat. */
  paid: number;
}

/** A charge of one sat, or of what `fields` say, that a new token of `face` sat has paid. */
export const holdCharge = async (
  wallet: WalletServer,
  mint: TestMint,
  face: number,
  fields: Fields = {},
): Promise<HeldCharge> => {
  const { status: asked, body: charge } = await askFor(wallet, 1, fields);
  expect([asked, charge.code]).toEqual([201, undefined]);
  const token = mint.issue(face, { withoutDleq: true });
  const { status, body } = await payCharge(wallet, charge.id, token);
  expect([status, body.code, body.state]).toEqual([200, undefined, 'held']);
  return { id: charge.id, token, paid: body.paid };
};

/** Checks that an answer gives back all that was paid and isn't charged, in a token that is worth it. */
export const expectExact = ({ status, body }: Answer, mint: TestMint): void => {
  expect([status, body.code]).toEqual([200, undefined]);
  const { receipt, change = body.refund } = body;
  const { charged, paid, changeKept = 0 } = receipt;
  const { amount = 0, fee = 0, token } = change ?? {};
  expect(paid).toBe(charged + amount + fee + changeKept);
  if (token === undefined) expect([amount, fee]).toEqual([0, 0]);
  else expect(mint.unspent([token])).toBe(amount);
};
