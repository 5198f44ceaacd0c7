import { bareTokens, isTokenText } from './bare-token.ts';

/** Requests for sats that people paste by mistake instead of a token. */
export const OTHER_PAYMENTS = ['lightning_invoice', 'payment_request'] as const;

export type OtherPayment = (typeof OTHER_PAYMENTS)[number];

/** A BOLT 11 invoice, even mistyped or shortened: a network prefix, an amount with its multiplier, and the rest after `1`. */
const INVOICE = /^(?:lightning:(?:\/\/)?)?ln(?:bcrt|bc|tbs|tb)(?:\d+[munp]?)?1[0-9a-z]{6,}$/i;

/** A Cashu payment request, NUT-18 (`creqA…`) or NUT-26 (`CREQB1…`). */
const REQUEST = /^(?:(?:web\+)?cashu:(?:\/\/)?)?creq[ab][\w+/=-]+$/i;

/** A word that can be an invoice or a request, in a sentence or a URL. */
const WORD = /[\w-]{8,}/g;

const kindOf = (word: string): OtherPayment | undefined => {
  if (INVOICE.test(word)) return 'lightning_invoice';
  return REQUEST.test(word) ? 'payment_request' : undefined;
};

/** An invoice or request found in other text. */
interface FoundPayment {
  readonly kind: OtherPayment;
  readonly text: string;
}

/** Returns the invoices and requests in text, even next to tokens. */
export const otherPaymentsIn = (text: string): readonly FoundPayment[] => {
  // Broken lines can be joined only if the text contains nothing else.
  const bare = text.replaceAll(/\s+/g, '');
  const whole = kindOf(bare);
  const words = whole ? [bare] : (text.match(WORD) ?? []);
  return words.flatMap((word) => {
    const kind = kindOf(word);
    return kind ? [{ kind, text: word }] : [];
  });
};

/** Recognizes an invoice or a request. Undefined for any other text, such as a token. */
export const otherPaymentOf = (text: string): OtherPayment | undefined =>
  bareTokens(text).some(isTokenText) ? undefined : otherPaymentsIn(text)[0]?.kind;

/** The titles and advice, for the API's error and the page. */
export const OTHER_PAYMENT_TEXTS: Readonly<
  Record<OtherPayment, { readonly title: string; readonly message: string }>
> = {
  lightning_invoice: {
    title: 'This is a Lightning invoice, not a token',
    message:
      'This is a Lightning invoice. It asks you to pay, so there is nothing to receive. Ask the sender for a Cashu token, which starts with cashuA or cashuB.',
  },
  payment_request: {
    title: 'This is a payment request, not a token',
    message:
      'This is a Cashu payment request. It asks you to pay, so there is nothing to receive. Ask the sender for a Cashu token, which starts with cashuA or cashuB.',
  },
};
