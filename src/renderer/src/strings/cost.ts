import { list, many, number } from './words.ts';

/** Strings for the cost of a call with an agent's prompt. */
export const cost = {
  counting: 'Counting tokens…',
  tokens: (count: number): string => many(count, 'token', 'tokens'),
  unknownTokens: (reason: string): string => `Tokens unknown: ${reason}`,
  unknown: 'unknown',
  unreadable: (reasons: readonly string[]): string =>
    `${list.format(reasons)}, so dot-mi can’t count this prompt’s tokens.`,
  perCall: (sats: string): string => `≈ ${sats} sat per call`,
  title: 'One call with this prompt',
  prompt: 'Prompt',
  exact: (count: number, tokenizer: string): string => `${number.format(count)} tokens (${tokenizer})`,
  approximate: (count: number, tokenizer: string): string =>
    `about ${number.format(count)} tokens, counted with ${tokenizer}`,
  model: 'Model',
  modelFrom: (name: string, source: string): string => `${name}, from ${source}`,
  asInput: 'The prompt alone',
  cached: 'The prompt, cached',
  output: '1,000 output tokens',
  sats: (sats: string): string => `${sats} sat`,
  usd: (usd: string): string => `(${usd})`,
  noCachePrice: 'no cache price',
  btc: (price: string): string => `At ${price} per BTC, reported`,
  more: 'Messages, tool definitions and tool results cost extra.',
  noModel: 'None of this agent’s files names a model, so dot-mi can’t calculate what a call costs.',
  noPrice: (name: string): string => `Neither the models file nor models.json has a price for ${name}.`,
  fromModelsJson: 'The price is in models.json.',
  coveredModel: 'Covered by a subscription. Without it, a call would cost this much.',
  noBtc: 'There is no BTC price yet, so the amounts are in USD only.',
  partial: 'Something that pi would send is missing from this count.',
  openPrompt: 'Show the prompt',
  openPricing: 'Open Pricing',
} as const;
