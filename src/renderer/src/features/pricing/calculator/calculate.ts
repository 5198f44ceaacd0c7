import { satsPerToken } from '../../../../../shared/price-math.ts';
import type { PricedModel } from '../../../api/models.ts';
import { parseInteger } from '../../../parse-integer.ts';

/** What tokens cost; sats are null while there is no BTC price. */
export interface Cost {
  readonly usd: number;
  readonly sats: number | null;
}

/** What a call costs, in all and by its sides. */
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

/** Reckons what a call with so many tokens costs. */
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

/** A count of tokens as it was typed, with separators of thousands or without, 12k and 1.5M too; null when it is none. */
export const parseTokenCount = (text: string): number | null => {
  const [, digits = '', unit = ''] = /^(.*?)\s*([km]?)$/i.exec(text.trim()) ?? [];
  const isFraction = unit !== '' && /^\d+\.\d+$/.test(digits);
  const number = isFraction ? digits : parseInteger(digits);
  // The zeros are written, not multiplied by: 1.001 times 1000 is a little less than 1001.
  const count =
    number === null ? Number.NaN : Number(`${number}${ZEROS[unit.toLowerCase() as keyof typeof ZEROS]}`);
  return Number.isSafeInteger(count) ? count : null;
};
