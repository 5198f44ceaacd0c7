import { describe, expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet } from '../../support/wallet.ts';

/** Tokens whose signatures only the mint can check, and tokens of too many proofs. */

test('a valid token says whether its signatures were checked here', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const checked = (await wallet.validate(mint.issue(21))).body;
  expect(checked).toMatchObject({ valid: true, signaturesChecked: true });
  expect(checked.message).toBe('This token is valid. It holds 21 sat.');

  const unchecked = (await wallet.validate(mint.issue(21, { withoutDleq: true }))).body;
  expect(unchecked).toMatchObject({ valid: true, amount: 21, signaturesChecked: false });
  expect(unchecked.message).toBe(
    'The mint says that these proofs are unspent. Without DLEQ, their signatures can’t be checked here. The token holds 21 sat.',
  );
});

describe('a token of more proofs than the mint accepts', () => {
  test('is refused before the mint is asked anything', { tags: 'slow' }, async () => {
    const mint = await testMint();
    const wallet = await serveWallet(mint.url);
    const token = mint.issue(1_001, { proofCount: 1_001, withoutDleq: true });
    const validation = (await wallet.validate(token)).body;
    expect(validation).toMatchObject({ valid: false, reason: 'too_large', amount: 1_001, proofs: 1_001 });
    const { status, body } = await wallet.receive(token);
    expect([status, body.code, body.limit]).toEqual([422, 'token_too_large', 1_000]);
    expect(mint.requestCount()).toBe(0);
  });

  test('is refused at the limit that the mint named before', { tags: 'slow' }, async () => {
    const mint = await testMint({ limits: { maxInputs: 100 } });
    const wallet = await serveWallet(mint.url);
    const issue = () => mint.issue(101, { proofCount: 101, withoutDleq: true });
    expect((await wallet.receive(issue())).body).toMatchObject({ code: 'token_too_large', limit: 100 });
    const before = mint.requestCount();
    expect((await wallet.receive(issue())).body).toMatchObject({ code: 'token_too_large', limit: 100 });
    expect((await wallet.validate(issue())).body).toMatchObject({ valid: false, reason: 'too_large' });
    expect(mint.requestCount()).toBe(before);
  });
});
