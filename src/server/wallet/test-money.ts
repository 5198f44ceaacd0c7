import { randomBytes } from 'node:crypto';

/** The mint in test tokens. Names that end in `.invalid` are reserved (RFC 2606), so no wallet can reach it. */
export const TEST_MINT = 'https://test-money.invalid';

/** Splits an amount in sats into powers of two, smallest first, as mints sign them. */
const powersOfTwo = (amount: number): number[] => {
  const powers: number[] = [];
  for (let [rest, power] = [amount, 1]; rest > 0; power *= 2) {
    if (rest % 2 === 1) powers.push(power);
    rest = Math.floor(rest / 2);
  }
  return powers;
};

/**
 * Creates a token of test money, a `cashuA` token like any other. Its secrets are random, so no two are the same, but
 * no mint signed it. Amount in sats.
 */
export const makeTestToken = (amount: number, memo?: string): string => {
  const proofs = powersOfTwo(amount).map((power) => ({
    id: '0000000000000000',
    amount: power,
    secret: randomBytes(32).toString('hex'),
    C: `02${randomBytes(32).toString('hex')}`,
  }));
  const token = {
    token: [{ mint: TEST_MINT, proofs }],
    unit: 'sat',
    ...(memo === undefined ? {} : { memo }),
  };
  return `cashuA${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
};
