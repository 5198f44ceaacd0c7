import { satsPerToken } from '../../../../../shared/price-math.ts';
import type { PricedModel } from '../../../api/models.ts';
import { parseInteger } from '../../../parse-integer.ts';

/** The cost of model tokens. `sats` is null while there is no BTC price. */
export interface Cost {
  readonly usd: number;
  readonly sats: number | null;
}

/** The cost of a call: its input, its output and the total. */
export interface CallCost {
  readonly input: Cost;
  readonly output: Cost;
  readonly total: Cost;
}

const TOKENS_PER_PRICE = 1_000_000;

const costOf = (usdPerMillion: number, tokens: number, btcUsd: number | null): Cost => ({
  usd: (usdPerMillion * tokens) / TOKENS_PER_PRICE,
  sats: btcUsd === null ? null : satsPerToken(usdPerMillion, btcUsd) * tokens,
});

/** Calculates the cost of a call with this many model tokens. */
export const calculate = (
  { inputUsd, outputUsd }: PricedModel,
  tokens: { readonly input: number; readonly output: number },
  btcUsd: number | null,
): CallCost => {
  const input = costOf(inputUsd, tokens.input, btcUsd);
  const output = costOf(outputUsd, tokens.output, btcUsd);
  const sats = input.sats === null || output.sats === null ? null : input.sats + output.sats;
  return { input, output, total: { usd: input.usd + output.usd, sats } };
};

const ZEROS = { '': '', k: 'e3', m: 'e6' } as const;

/** Parses a typed count of model tokens, such as 12,000, 12000, 12k or 1.5M. Null if it isn't one. */
export const parseTokenCount = (text: string): number | null => {
  const [, digits = '', unit = ''] = /^(.*?)\s*([km]?)$/i.exec(text.trim()) ?? [];
  const isFraction = unit !== '' && /^\d+\.\d+$/.test(digits);
  const number = isFraction ? digits : parseInteger(digits);
  // Append the zeros instead of multiplying, because 1.001 times 1000 is a little less than 1001.
  const count =
    number === null ? Number.NaN : Number(`${number}${ZEROS[unit.toLowerCase() as keyof typeof ZEROS]}`);
  return Number.isSafeInteger(count) ? count : null;
};
