import type { OtherPayment } from '../../src/shared/other-payment.ts';

/** What a person may paste where a token belongs. */
export interface PastedText {
  readonly name: string;
  readonly text: string;
  /** The tokens in it that can be received, in their order. */
  readonly tokens: readonly string[];
  /** What it is, if it asks for sats in place of bringing some. */
  readonly other?: OtherPayment;
  /** What the page says. By default, what a receive of its tokens says. */
  readonly sentence?: string;
  /** What stays in the field after its tokens were received. By default, nothing. */
  readonly rest?: string;
}

const INVOICE = 'lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf';
const NO_TOKEN = 'This isn’t a Cashu token';
const FOR_INVOICE = 'This is a Lightning invoice, not a token';
const FOR_REQUEST = 'This is a payment request, not a token';

const wrapped = (text: string, width: number, newline: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(newline);

/** Hides a text behind an emoji, as cashu.me does. */
const hidden = (text: string): string =>
  `🥜${Array.from(text, (char) => String.fromCodePoint(0xe0100 + char.charCodeAt(0) - 16)).join('')}`;

/** Every kind of text, each with new tokens of version 3 or 4. */
export const pastedTexts = (issue: (version: 'A' | 'B') => string): readonly PastedText[] => {
  const one = (name: string, text: (token: string) => string, version: 'A' | 'B' = 'B'): PastedText => {
    const token = issue(version);
    return { name, text: text(token), tokens: [token] };
  };
  const two = (name: string, text: (first: string, second: string) => string): PastedText => {
    const tokens = [issue('B'), issue('A')] as const;
    return { name, text: text(...tokens), tokens };
  };
  /** In the standard alphabet of base64. */
  const plain = issue('B').replaceAll('-', '+').replaceAll('_', '/');
  const none = (name: string, text: string, sentence = NO_TOKEN): PastedText => ({
    name,
    text,
    tokens: [],
    sentence,
    rest: text,
  });
  const asks = (other: OtherPayment, name: string, text: string): PastedText => ({
    ...none(name, text, other === 'lightning_invoice' ? FOR_INVOICE : FOR_REQUEST),
    other,
  });
  return [
    one('a token of version 4', (token) => token),
    one('a token of version 3', (token) => token, 'A'),
    one('a cashu: URI', (token) => `cashu:${token}`),
    one('a web+cashu:// URI', (token) => `web+cashu://${token}\n`),
    one('a web wallet’s address with a query', (token) => `https://wallet.cashu.me/?token=${token}`),
    one('a web wallet’s address with a fragment', (token) => `https://wallet.cashu.me/#token=${token}`),
    one(
      'an address with a parameter behind it',
      (token) => `https://wallet.example/receive?token=${token}&lang=en`,
    ),
    one(
      'an address with escapes',
      (token) => `https://wallet.example/?token=cashu%3A${encodeURIComponent(token)}`,
      'A',
    ),
    one('a chat message', (token) => `Here you go ${token} thanks a lot`),
    one('a chat message with a colon and a period', (token) => `Your 8 sats: ${token}. Enjoy!`, 'A'),
    one('a token in broken lines', (token) => wrapped(token, 60, '\n')),
    one(
      'a token in broken lines and a greeting',
      (token) => `Hi,\r\n\r\n${wrapped(token, 76, '\r\n')}\r\nBye`,
    ),
    one('a quoted mail', (token) => `On Monday, Ann wrote:\n> ${wrapped(token, 70, '\n> ')}\n> Bye`),
    one('a block of code', (token) => `\`\`\`\n${token}\n\`\`\``),
    one('JSON', (token) => JSON.stringify({ amount: 8, token, memo: 'hi' })),
    {
      name: 'JSON with escaped slashes',
      text: `{"token":"${plain.replaceAll('/', '\\/')}"}`,
      tokens: [plain],
    },
    one('Markdown with escapes', (token) => `Here: ${token.replaceAll(/([-_])/g, '\\$1')} enjoy`),
    one('quoted-printable mail', (token) => `Hi,\r\n\r\n${wrapped(token, 75, '=\r\n')}\r\nBye`),
    two(
      'two tokens in quoted-printable mail',
      (first, second) => `${wrapped(first, 75, '=\n')}\n${wrapped(second, 75, '=\n')}`,
    ),
    one('a token with invisible breaks', (token) => wrapped(token, 40, '\u200b')),
    one('an emoji with a token in it', (token) => `A nut for you ${hidden(token)} bye`),
    one('a token and words about tokens', (token) => `A cashuB token, not a cashuA token: ${token}`),
    two('two tokens on two lines', (first, second) => `${first}\n${second}`),
    two('two tokens in a sentence', (first, second) => `First ${first} and then ${second} as well`),
    two(
      'two tokens in links, one of them twice',
      (first, second) => `cashu:${first}\ncashu:${second} cashu:${first}`,
    ),
    { ...one('a token and an invoice', (token) => `Pay ${INVOICE} and take ${token}`), rest: INVOICE },
    asks('lightning_invoice', 'an invoice', INVOICE),
    asks('lightning_invoice', 'an invoice in a message', `Please pay this: lightning:${INVOICE}, thanks`),
    asks(
      'lightning_invoice',
      'an invoice in a bitcoin: URI',
      `bitcoin:BC1QYLH3U67J673H6Y6ALV70M0PL2YZ53TZHVXGG7U?amount=0.00001&lightning=${INVOICE}`,
    ),
    asks('payment_request', 'a payment request', 'creqApWF0gaNhdGVub3N0cmFheKlucHJvZmlsZTE'),
    asks(
      'payment_request',
      'a payment request of the newer kind in a message',
      'Pay CREQB1QYQQSCEEVC9JQ5NXVYCRZ please',
    ),
    none('words', 'hello, I sent you some sats'),
    none('an address of a web wallet without a token', 'https://wallet.cashu.me/#token='),
    none('a sign-in link of this program', 'http://127.0.0.1:8000/#token=3f2b1c'),
    none('the beginning of a token', issue('B').slice(0, 90)),
  ];
};
