import { sell as words } from '../../strings/sell.ts';
import { type TypedTerms, wrongField } from './sale-terms.ts';

interface Obstacles {
  readonly hasTestMoney: boolean;
  /** The price of a margin is made from it. */
  readonly hasNoBtcPrice: boolean;
}

/** Why an agent can't be sold on these terms, in a sentence. Undefined if it can. */
export const saleBlocker = (
  typed: TypedTerms,
  { hasTestMoney, hasNoBtcPrice }: Obstacles,
): string | undefined => {
  if (hasTestMoney) return words.blocked.testMoney;
  const wrong = wrongField(typed);
  if (wrong !== undefined) return words.blocked.field(words[wrong]);
  return hasNoBtcPrice && typed.pricing === 'margin' ? words.blocked.noPrice : undefined;
};
