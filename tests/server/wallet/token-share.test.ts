import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askFor, payCharge } from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { Answer } from '../../support/server.ts';
import { serveTimedWallet, whileTimePasses } from '../../support/wallet-recovery.ts';

/** Nutshell's limit by default. */
const NUTSHELL = { requests: 60, seconds: 60, window: 'elastic' } as const;

test('tokens that the mint refuses, and checks of tokens, leave its limit to the operator and to signed tokens', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const forge = () => mint.issue(8, { forged: true, withoutDleq: true });
  const unsigned = () => mint.issue(8, { withoutDleq: true });
  const signed = Array.from({ length: 3 }, () => mint.issue(8));
  const { id } = (await askFor(wallet, 8)).body;
  // Without a limit, forged tokens delay nobody.
  for (let count = 0; count < 12; count += 1)
    expect((await wallet.receive(forge())).body.code).toBe('invalid_signature');
  expect((await wallet.receive(unsigned())).status).toBe(200);
  mint.setRateLimit({ ...NUTSHELL, requests: 0 });
  await wallet.asOperator('POST', '/api/wallet/validate', { token: unsigned() });
  mint.setRateLimit(NUTSHELL);
  // The pause, and the slow beginning after it.
  wallet.clock.pass(2 * 60_000);
  const ways = [
    (token: string) => wallet.receive(token),
    (token: string) => payCharge(wallet, id, token),
    (token: string) => wallet.call('POST', '/api/prepaid-balances', { token }),
    (token: string) => wallet.call('POST', '/api/wallet/validate', { token }),
  ];
  const codes = new Set<string>();
  for (let count = 0; count < 60; count += 1) {
    // A tenth of a second passes between two of them.
    wallet.clock.pass(100);
    const { body } = (await (ways[count % ways.length] ?? ways[0])?.(forge())) ?? {};
    codes.add(body.code ?? 'unspent');
  }
  expect([...codes].toSorted()).toEqual(['invalid_signature', 'mint_error', 'unspent']);

  const refused = await wallet.receive(unsigned());
  expect(refused).toMatchObject({ status: 502, body: { code: 'mint_error' } });
  expect(refused.body.error).toMatch(
    /^This wallet just checked many tokens .* send a token with DLEQ proofs/,
  );
  expect(refused.body.retryAfterSeconds).toBeGreaterThan(0);
  expect(refused.body.retryAfterSeconds).toBeLessThanOrEqual(60);

  expect((await wallet.receive(signed[0])).status).toBe(200);
  // The mint is asked about the next signed tokens.
  wallet.clock.pass(5_000);
  expect((await payCharge(wallet, id, signed[1] ?? '')).status).toBe(200);
  expect((await wallet.asOperator('POST', '/api/wallet/receive', { token: unsigned() })).status).toBe(200);
  expect((await wallet.asOperator('POST', '/api/wallet/validate', { token: unsigned() })).status).toBe(200);

  // The signature of a spent token proves nothing.
  mint.spend([signed[2] ?? '']);
  wallet.clock.pass(5_000);
  expect((await wallet.receive(signed[2])).body.code).toBe('mint_error');
  const before = mint.requestCount();
  expect((await wallet.receive(signed[2])).body.code).toBe('mint_error');
  expect(mint.requestCount()).toBe(before);

  mint.setRateLimit();
  wallet.clock.pass(61_000);
  expect((await wallet.receive(unsigned())).status).toBe(200);
});

test('a refund of a prepaid balance that is asked for again and again leaves the mint’s limit to others', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const { prepaidKey } = (await wallet.call('POST', '/api/prepaid-balances', { token: mint.issue(8) })).body;
  const refund = () => wallet.call('POST', '/api/prepaid-balances/refund', { prepaidKey });
  const { token } = (await refund()).body.refund;
  mint.setRateLimit({ ...NUTSHELL, requests: 0 });
  await wallet.asOperator('POST', '/api/wallet/validate', { token: mint.issue(8, { withoutDleq: true }) });
  mint.setRateLimit(NUTSHELL);
  wallet.clock.pass(2 * 60_000);
  const answers: { status: number; body: { refund?: { token: string }; code?: string } }[] = [];
  for (let count = 0; count < 60; count += 1) answers.push(await refund());
  const given = answers.filter(({ body }) => body.refund?.token === token).length;
  expect(given).toBe(36);
  for (const { status, body } of answers.slice(given))
    expect([status, body.code]).toEqual([502, 'mint_error']);
  expect((await wallet.asOperator('POST', '/api/wallet/receive', { token: mint.issue(8) })).status).toBe(200);
  wallet.clock.pass(61_000);
  expect((await refund()).body.refund.token).toBe(token);
});

test('once the mint limits swaps, a receive says how long to wait, and asks the mint nothing', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
  mint.setRateLimit({ ...NUTSHELL, requests: 0 });
  const tokens = [mint.issue(8), mint.issue(16)];
  const first = await whileTimePasses(wallet, wallet.receive(tokens[0]));
  expect([first.status, first.body.code]).toEqual([503, 'redemption_pending']);
  const before = mint.requestCount();
  const { status, body } = await wallet.receive(tokens[1]);
  expect([status, body.code]).toEqual([502, 'mint_error']);
  expect(body.retryAfterSeconds).toBeGreaterThan(30);
  expect(mint.requestCount()).toBe(before);
  mint.setRateLimit();
  wallet.clock.pass(61_000);
  expect((await wallet.receive(tokens[1])).status).toBe(200);
});

test('a stranger who spends one sat again and again takes nothing that honest customers need', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const passSeconds = (seconds: number) => {
    wallet.clock.pass(seconds * 1_000);
    mint.setTime(Math.floor(wallet.clock.now() / 1_000));
  };
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
  mint.setRateLimit({ ...NUTSHELL, requests: 0 });
  await wallet.asOperator('POST', '/api/wallet/validate', { token: mint.issue(8, { withoutDleq: true }) });
  mint.setRateLimit(NUTSHELL);
  passSeconds(2 * 60);
  const hostile: Promise<Answer>[] = [];
  const statuses: number[] = [];
  for (let customer = 0; customer < 10; customer += 1) {
    for (let count = 0; count < 12; count += 1) {
      const token = mint.issue(1);
      mint.spend([token]);
      hostile.push(wallet.receive(token));
    }
    const paying = wallet.receive(mint.issue(8));
    let isAnswered = false;
    while (!isAnswered) {
      // A busy machine needs time to handle the requests before those 15 s are over that a token waits at most.
      passSeconds(1);
      isAnswered = await Promise.race([paying.then(() => true), sleep(200, false)]);
    }
    statuses.push((await paying).status);
  }
  expect(statuses).toEqual(Array(10).fill(200));
  await whileTimePasses(wallet, Promise.all(hostile));
});
