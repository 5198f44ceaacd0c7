import { createHash } from 'node:crypto';
import { CREATE_PATH, REFUND_PATH } from '../../../../resources/starter-root/shared/lib/balances.mjs';
import { type ChargedPrices, chargedPerToken } from '../../../shared/price-math.ts';

/** What a service sells, and for how much. */
export interface Offer {
  readonly agent: string;
  /** A sentence for customers. */
  readonly description: string;
  /** The model that does the work. Null if it isn't known. */
  readonly model: string | null;
  /** The advance for the longest request, with the mint's fee for a usual token, in sats. */
  readonly faceValue: number;
  readonly mints: readonly string[];
  /** The prices of the model. Without a margin, the price is flat. */
  readonly price?: (Omit<ChargedPrices, 'marginPercent'> & { readonly marginPercent?: number }) | undefined;
  /** The most input tokens that a request can use. */
  readonly maxInputTokens: number;
}

/** Returns the highest prices per model token in sats, the margin included. Undefined for a flat price. */
const tokenPrices = ({ price, maxInputTokens }: Offer) =>
  price?.marginPercent === undefined
    ? undefined
    : chargedPerToken({ ...price, marginPercent: price.marginPercent }, maxInputTokens);

/** Returns the prices for programs. `perRequest` is the fee for each call to the model, if there is one. */
const tokenPricesFor = ({ request, ...perToken }: ReturnType<typeof chargedPerToken>) => ({
  perToken,
  ...(request > 0 ? { perRequest: request } : {}),
});

/** Describes the offer for programs, at `GET /`. */
export const describeOffer = (offer: Offer) => {
  const perToken = tokenPrices(offer);
  const { agent, description, model, faceValue, mints } = offer;
  return {
    agent,
    description,
    model,
    price: {
      ...(perToken ? tokenPricesFor(perToken) : { perRequest: faceValue }),
      estimate: faceValue,
      currency: 'sat',
    },
    mints,
    refund: REFUND_PATH,
    prepaid: CREATE_PATH,
  };
};

/**
 * Describes the offer as a model, in the formats of OpenAI's API and of Routstr's nodes (routstr-core, payment/models.py).
 * Prices are in sats.
 */
export const describeModel = (offer: Offer) => {
  const perToken = tokenPrices(offer);
  const { agent, description, faceValue } = offer;
  return {
    id: agent,
    object: 'model',
    created: 0,
    owned_by: 'dot-mi',
    name: agent,
    description,
    architecture: {
      modality: 'text->text',
      input_modalities: ['text'],
      output_modalities: ['text'],
      tokenizer: 'Other',
      instruct_type: null,
    },
    sats_pricing: {
      prompt: perToken?.input ?? 0,
      completion: perToken?.output ?? 0,
      input_cache_read: perToken?.cachedInput ?? 0,
      request: perToken ? perToken.request : faceValue,
      max_prompt_cost: 0,
      max_completion_cost: 0,
      max_cost: faceValue,
    },
  };
};

/** Describes the seller, as Routstr's nodes do at `GET /v1/info`. */
export const describeSeller = ({ agent, description, mints }: Offer) => ({
  name: agent,
  description,
  version: '1',
  mints,
  npub: '',
  http_url: '',
  onion_url: '',
});

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;background:#fff;color:#1b1b1f}
h1{font-size:1.5rem;margin:0 0 .5rem}
h2{font-size:1rem;margin:2rem 0 .5rem}
pre{overflow-x:auto;padding:1rem;border-radius:.5rem;background:#f1f1f4}
code,td{overflow-wrap:anywhere}
table{border-collapse:collapse}
th{text-align:left;font-weight:600;vertical-align:top;padding:.25rem 1.5rem .25rem 0;white-space:nowrap}
td{padding:.25rem 0}
@media (prefers-color-scheme:dark){body{background:#17171a;color:#e9e9ee}pre{background:#26262b}}`;

/** The headers of the page. SECURITY: no script, no request and no frame, whatever the texts of the page are. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Formats a price with at most four significant digits, such as 0.0125. */
const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));

/** The prices per token are for so many of them, because those of one are tiny. */
const TOKENS_SHOWN = 1_000;

/** Writes the offer as a page for people. `address` is where they reached it, such as `http://127.0.0.1:8402/`. */
export const writePage = (offer: Offer, address: string): string => {
  const { agent, description, model, faceValue, mints } = offer;
  const perToken = tokenPrices(offer);
  const prices: [string, string][] = perToken
    ? [
        ['Input', `${shortNumber(perToken.input * TOKENS_SHOWN)} sat for 1,000 tokens`],
        ['Output', `${shortNumber(perToken.output * TOKENS_SHOWN)} sat for 1,000 tokens`],
        ...(perToken.request === 0
          ? []
          : [['Each call', `${shortNumber(perToken.request)} sat`] satisfies [string, string]]),
        ['In advance', `at most ${faceValue} sat. You get back what your request didn’t use.`],
      ]
    : [['Price', `${faceValue} sat for each request`]];
  const rows: [string, string][] = [
    ...prices,
    ...(model === null ? [] : [['Model', model] satisfies [string, string]]),
    ['Mints', mints.join(', ')],
  ];
  const shell = `'${JSON.stringify({ prompt: 'Hello' })}'`;
  const example = [
    '# The response has the price, and a payment request in X-Cashu',
    `curl -i ${address} -d ${shell}`,
    '',
    '# Write "X-Cashu: " and an ecash token to payment.txt. The response has your change in X-Cashu',
    `curl -i ${address} -H @payment.txt -d ${shell}`,
  ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(agent)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(agent)}</h1>
${description === agent ? '' : `<p>${escapeHtml(description)}</p>\n`}<p>This is an agent. Send it text, pay with ecash, and get its answer. You need no account.</p>
<table>
${rows.map(([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`).join('\n')}
</table>
<h2>Try it</h2>
<pre><code>${escapeHtml(example)}</code></pre>
<p>Clients for OpenAI’s API use <code>${escapeHtml(`${address}v1`)}</code> and the model <code>${escapeHtml(agent)}</code>.
For a key, send a token as <code>initial_balance_token</code> to <code>${escapeHtml(CREATE_PATH)}</code>.</p>
</main>
</body>
</html>
`;
};
