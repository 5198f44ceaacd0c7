import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bareTokens, isTokenText } from '../../../src/shared/bare-token.ts';
import { otherPaymentOf } from '../../../src/shared/other-payment.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { pastedTexts } from '../../support/pasted-texts.ts';
import { serveWallet } from '../../support/wallet.ts';

const NAMES = pastedTexts(() => 'cashuB').map(({ name }) => name);

const SEVERAL = 'This text has 2 tokens. Send them one at a time.';

const casesOf = async (names: readonly string[]) => {
  const mint = await testMint();
  const all = pastedTexts((version) => mint.issue(8, { version, memo: 'for you' }));
  return { mint, cases: all.filter(({ name }) => names.includes(name)) };
};

test('the tokens of each pasted text are found', async () => {
  const { cases } = await casesOf(NAMES);
  for (const { name, text, tokens, other, sentence } of cases) {
    const found = bareTokens(text).filter(isTokenText);
    // Other text may have the form of a token, and is then refused.
    if (tokens.length > 0) expect([name, found]).toEqual([name, tokens]);
    else if (other) expect([name, found]).toEqual([name, []]);
    else expect([name, sentence]).toEqual([name, 'This isn’t a Cashu token']);
    expect([name, otherPaymentOf(text)]).toEqual([name, other]);
  }
});

const receiveEach = async (names: readonly string[]) => {
  const { mint, cases } = await casesOf(names);
  const wallet = await serveWallet(mint.url);
  for (const { name, text, tokens, other } of cases) {
    const { body: checked } = await wallet.validate(text);
    const { status, body } = await wallet.receive(text);
    if (tokens.length === 1) {
      expect([name, checked.valid, checked.amount]).toEqual([name, true, 8]);
      expect([name, status, body.amount]).toEqual([name, 200, 8]);
    } else {
      expect([name, checked.valid, checked.looksLike]).toEqual([name, false, other]);
      expect([name, status, body.code, body.looksLike]).toEqual([name, 422, 'malformed_token', other]);
      if (tokens.length > 1) expect([checked.message, body.error]).toEqual([SEVERAL, SEVERAL]);
      // Nothing is lost: each of several can still be received alone.
      for (const token of tokens) expect((await wallet.receive(token)).status).toBe(200);
    }
  }
  expect(await wallet.balance()).toBe(8 * cases.flatMap(({ tokens }) => tokens).length);
};

test('a receive takes a token from the text around it, and refuses a text without one or with several', () =>
  receiveEach([
    'a web wallet’s address with a query',
    'a token in broken lines and a greeting',
    'an emoji with a token in it',
    'two tokens in a sentence',
    'a token and an invoice',
    'an invoice in a message',
    'the beginning of a token',
  ]));

test('a receive takes a token from any text around it', { tags: 'slow' }, () => receiveEach(NAMES));

test('whatever words and breaks are around and within tokens, exactly these are found (property)', async () => {
  const mint = await testMint();
  const issued = (['A', 'B', 'B'] as const).map((version) => mint.issue(8, { version }));
  const words = fc.stringMatching(/^(?:[ \n.,!a-z0-9🥜-]{0,20}[ \n.,!])?$/u);
  fc.assert(
    fc.property(fc.subarray(issued), fc.array(words, { minLength: 4 }), fc.nat(300), (tokens, around, at) => {
      const broken = tokens.map((token) => `${token.slice(0, 8 + at)}\n${token.slice(8 + at)}`);
      const text = broken.map((token, nth) => `${around[nth]} ${token} ${around[nth + 1]}`).join('');
      const found = bareTokens(text).filter(isTokenText);
      expect(tokens.length === 0 || found.join(' ')).toBe(tokens.length === 0 || tokens.join(' '));
    }),
    { numRuns: 100 },
  );
});

test('hostile text is read in time that grows with its length', () => {
  for (const part of ['cashuA', 'cashuAeyJh', 'cashuBoA ', 'cashuB\n', 'cashuBv5+f', '> ', 'lnbc1', '%2B']) {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    expect(bareTokens(text).length).toBeGreaterThan(0);
    expect(otherPaymentOf(text)).toBe(part === 'lnbc1' ? 'lightning_invoice' : undefined);
  }
});
