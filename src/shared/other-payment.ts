/** What people paste in place of a token: both ask for sats, and a token brings some. */
export const OTHER_PAYMENTS = ['lightning_invoice', 'payment_request'] as const;

/** One of {@link OTHER_PAYMENTS}. */
export type OtherPayment = (typeof OTHER_PAYMENTS)[number];

/** A BOLT 11 invoice, also a mistyped or shortened one: the prefix of a network, an amount with its multiplier, and the rest after `1`. */
const INVOICE = /^(?:lightning:(?:\/\/)?)?ln(?:bcrt|bc|tbs|tb)(?:\d+[munp]?)?1[0-9a-z]{6,}$/i;

/** A Cashu payment request, NUT-18 (`creqA…`) or NUT-26 (`CREQB1…`). */
const REQUEST = /^(?:(?:web\+)?cashu:(?:\/\/)?)?creq[ab][\w+/=-]+$/i;

/** Recognizes a text that asks for sats. Undefined for any other, such as a token. */
export const otherPaymentOf = (text: string): OtherPayment | undefined => {
  const bare = text.replaceAll(/\s+/g, '');
  if (INVOICE.test(bare)) return 'lightning_invoice';
  return REQUEST.test(bare) ? 'payment_request' : undefined;
};

/** The names and what to do, for the API's error and the page. */
export const OTHER_PAYMENT_TEXTS: Readonly<
  Record<OtherPayment, { readonly title: string; readonly message: string }>
> = {
  lightning_invoice: {
    title: 'A Lightning invoice, not a token',
    message:
      'This is a Lightning invoice. It asks you to pay, so there is nothing to receive. Ask the sender for a Cashu token, which starts with cashuA or cashuB.',
  },
  payment_request: {
    title: 'A payment request, not a token',
    message:
      'This is a Cashu payment request. It asks you to pay, so there is nothing to receive. Ask the sender for a Cashu token, which starts with cashuA or cashuB.',
  },
};
