import type { CallOf } from '../../../../shared/api/endpoint.ts';
import {
  areVariables,
  SERVICE_LIMITS,
  type Service,
  type startService,
} from '../../../../shared/api/services.ts';
import { LABEL_MAX } from '../../../../shared/api/wallet.ts';
import type { PriceTerms } from '../../api/service-queries.ts';
import { parseInteger } from '../../parse-integer.ts';
import { sell as words } from '../../strings/sell.ts';

/** How a price is calculated. */
export const PRICINGS = ['margin', 'flat'] as const;

/** The terms of a sale as typed. */
export interface TypedTerms {
  readonly pricing: (typeof PRICINGS)[number];
  readonly margin: string;
  readonly price: string;
  readonly description: string;
  /** Names, separated by spaces or commas. */
  readonly variables: string;
  readonly maxOutputTokens: string;
  readonly parallel: string;
  readonly timeoutSeconds: string;
  readonly lossLimitSats: string;
  readonly port: string;
  readonly startsWithApp: boolean;
}

/** A text field of {@link TypedTerms}. */
export type TermField = Exclude<keyof TypedTerms, 'pricing' | 'startsWithApp'>;

/** The terms in the API's format. */
export type Terms = Omit<CallOf<typeof startService>['body'], 'agent' | 'accepts'>;

/** The fields in the collapsible section. */
export const LIMIT_FIELDS = [
  'maxOutputTokens',
  'parallel',
  'timeoutSeconds',
  'lossLimitSats',
  'port',
] as const;

/** The flat price that the form suggests. */
const FIRST_PRICE_SATS = 10;

/** The terms of an agent that was never for sale. */
export const NEW_TERMS: TypedTerms = {
  pricing: 'margin',
  margin: String(SERVICE_LIMITS.marginPercent.preset),
  price: String(FIRST_PRICE_SATS),
  description: '',
  variables: '',
  maxOutputTokens: String(SERVICE_LIMITS.maxOutputTokens.preset),
  parallel: String(SERVICE_LIMITS.parallel.preset),
  timeoutSeconds: String(SERVICE_LIMITS.timeoutSeconds.preset),
  lossLimitSats: String(SERVICE_LIMITS.lossLimitSats.preset),
  port: '',
  startsWithApp: false,
};

/** Returns a service's terms, as a person would have typed them. */
export const termsOf = (service: Service): TypedTerms => ({
  pricing: service.priceSats === null ? 'margin' : 'flat',
  margin: String(service.marginPercent),
  price: String(service.priceSats ?? FIRST_PRICE_SATS),
  description: service.description ?? '',
  variables: service.variables.join(' '),
  maxOutputTokens: String(service.maxOutputTokens),
  parallel: String(service.parallel),
  timeoutSeconds: String(service.timeoutSeconds),
  lossLimitSats: String(service.lossLimitSats),
  port: String(service.port),
  startsWithApp: service.startsWithApp,
});

/** The limits of the form's numbers. */
const LIMITS = {
  margin: SERVICE_LIMITS.marginPercent,
  price: SERVICE_LIMITS.priceSats,
  maxOutputTokens: SERVICE_LIMITS.maxOutputTokens,
  parallel: SERVICE_LIMITS.parallel,
  timeoutSeconds: SERVICE_LIMITS.timeoutSeconds,
  lossLimitSats: SERVICE_LIMITS.lossLimitSats,
  port: SERVICE_LIMITS.port,
} as const;

const FIELDS: readonly TermField[] = ['margin', 'price', 'description', 'variables', ...LIMIT_FIELDS];

const namesIn = (text: string): string[] => text.split(/[\s,]+/).filter((name) => name !== '');

/** Returns whether the API accepts a field's value. Fields that the chosen price ignores are always valid. */
export const isRight = (typed: TypedTerms, field: TermField): boolean => {
  if (field === (typed.pricing === 'flat' ? 'margin' : 'price')) return true;
  const text = typed[field].trim();
  if (field === 'description') return text.length <= LABEL_MAX;
  if (field === 'variables') return areVariables(namesIn(text));
  if (field === 'port' && text === '') return true;
  const number = parseInteger(text);
  const { least, most } = LIMITS[field];
  return number !== null && number >= least && number <= most;
};

/** Returns the first field with an invalid value. */
export const wrongField = (typed: TypedTerms): TermField | undefined =>
  FIELDS.find((field) => !isRight(typed, field));

const integerOf = (typed: TypedTerms, field: TermField): number | undefined =>
  parseInteger(typed[field].trim()) ?? undefined;

/** Returns the terms that determine the price. Undefined while one is invalid. */
export const priceTermsOf = (typed: TypedTerms): PriceTerms | undefined => {
  if (!(['margin', 'price', 'maxOutputTokens'] as const).every((field) => isRight(typed, field)))
    return undefined;
  const maxOutputTokens = integerOf(typed, 'maxOutputTokens');
  return typed.pricing === 'flat'
    ? { priceSats: integerOf(typed, 'price'), maxOutputTokens }
    : { marginPercent: integerOf(typed, 'margin'), maxOutputTokens };
};

/** Returns all terms for the API. Undefined while one is invalid. */
export const toTerms = (typed: TypedTerms): Terms | undefined => {
  const price = priceTermsOf(typed);
  if (!price || wrongField(typed) !== undefined) return undefined;
  const description = typed.description.trim();
  return {
    ...price,
    // The margin is kept even while the price is flat.
    marginPercent: isRight({ ...typed, pricing: 'margin' }, 'margin')
      ? integerOf(typed, 'margin')
      : undefined,
    parallel: integerOf(typed, 'parallel'),
    timeoutSeconds: integerOf(typed, 'timeoutSeconds'),
    lossLimitSats: integerOf(typed, 'lossLimitSats'),
    port: integerOf(typed, 'port'),
    description: description === '' ? undefined : description,
    variables: namesIn(typed.variables),
    startsWithApp: typed.startsWithApp,
  };
};

interface Obstacles {
  /** True if there's no BTC price, which a margin needs. */
  readonly hasNoBtcPrice: boolean;
}

/** Returns a sentence that says why an agent can't be sold on these terms. Undefined if it can. */
export const saleBlocker = (typed: TypedTerms, { hasNoBtcPrice }: Obstacles): string | undefined => {
  const wrong = wrongField(typed);
  if (wrong !== undefined) return words.blocked.field(words[wrong]);
  return hasNoBtcPrice && typed.pricing === 'margin' ? words.blocked.noPrice : undefined;
};
