import { getDecodedToken } from '@cashu/cashu-ts';
import { expect, onTestFinished, test } from 'vitest';
import { TEST_MINT } from '../../../src/server/wallet/test-tokens.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet, type WalletServer, type WalletServerOptions } from '../../support/wallet.ts';

const DEV_MODE = { environment: { DEV_MODE: 'true' } };

const serveTestMoney = async (options: WalletServerOptions = {}) =>
  serveWallet((await testMint()).url, { ...DEV_MODE, ...options });

const makeToken = async (wallet: WalletServer, amount: number): Promise<string> => {
  const { status, body } = await wallet.asOperator('POST', '/api/wallet/test-tokens', { amount });
  expect([status, body.amount]).toEqual([201, amount]);
  return body.token;
};

const send = (wallet: WalletServer, amount: number, headers: Record<string, string> = {}) =>
  wallet.asOperator('POST', '/api/wallet/send', { amount }, headers);

const historyOf = async (wallet: WalletServer) =>
  (await wallet.asOperator('GET', '/api/wallet/history')).body.entries;

test('a test token is one that any wallet can read, of a mint that nobody can ask', {
  tags: 'slow',
}, async () => {
  const wallet = await serveTestMoney();
  for (const amount of [1, 100, 100_000_000]) {
    const token = await makeToken(wallet, amount);
    const { mint, unit, proofs } = getDecodedToken(token, []);
    expect([mint, unit, new URL(mint).hostname.endsWith('.invalid')]).toEqual([TEST_MINT, 'sat', true]);
    expect(proofs.reduce((sum, proof) => sum + proof.amount.toNumber(), 0)).toBe(amount);
  }
  for (const amount of [0, -1, 1.5, 100_000_001, '1'])
    expect((await wallet.asOperator('POST', '/api/wallet/test-tokens', { amount })).status).toBe(400);
  expect((await wallet.call('POST', '/api/wallet/test-tokens', { amount: 1 })).body.code).toBe(
    'operator_required',
  );
  // Made, and not received: nothing is credited yet.
  expect(await wallet.balance()).toBe(0);
});

test('a test token pays once, also of many receives at once, and says who has it', async () => {
  const wallet = await serveTestMoney();
  const token = await makeToken(wallet, 100);
  expect((await wallet.validate(token)).body).toEqual({
    valid: true,
    amount: 100,
    mint: TEST_MINT,
    unit: 'sat',
    proofs: 3,
    signaturesChecked: true,
    fee: 0,
    net: 100,
    message: 'This token is valid. It holds 100 sat.',
  });
  const answers = await Promise.all(Array.from({ length: 10 }, () => wallet.receive(token)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const { body: receipt } = answers.find(({ status }) => status === 200) ?? { body: {} };
  expect(receipt).toMatchObject({ amount: 100, simulated: true });
  for (const { body } of answers.filter(({ status }) => status !== 200))
    expect(['token_in_progress', 'token_spent']).toContain(body.code);
  expect((await wallet.receive(token)).body).toMatchObject({
    code: 'token_spent',
    operationId: receipt.operationId,
    receivedAmount: 100,
  });
  expect((await wallet.validate(token)).body).toMatchObject({
    valid: false,
    reason: 'spent',
    operationId: receipt.operationId,
  });
  expect(await wallet.balance()).toBe(100);
});

test('a simulated send takes its sats from the balance, and receiving its token redeems it', async () => {
  const wallet = await serveTestMoney();
  await wallet.receive(await makeToken(wallet, 100));
  const { status, body: sent } = await send(wallet, 40);
  expect([status, sent]).toEqual([
    201,
    {
      token: expect.stringMatching(/^cashuB/),
      amount: 40,
      fee: 0,
      operationId: expect.any(String),
      simulated: true,
    },
  ]);
  expect(await wallet.balance()).toBe(60);
  expect((await historyOf(wallet))[0]).toMatchObject({
    kind: 'send',
    amount: 40,
    spent: false,
    simulated: true,
  });
  const tooMuch = await send(wallet, 61);
  expect([tooMuch.status, tooMuch.body.code]).toEqual([422, 'insufficient_funds']);
  expect(tooMuch.body.error).toContain('can spend 60 sat');

  const paid = await wallet.call('POST', '/api/wallet/receive', {
    token: sent.token,
    agent: 'scout',
    label: 'x',
  });
  expect(paid.body).toMatchObject({ amount: 40, simulated: true });
  expect(await wallet.balance()).toBe(100);
  expect((await historyOf(wallet)).slice(0, 2)).toMatchObject([
    { kind: 'receive', amount: 40, agent: 'scout', label: 'x' },
    { kind: 'send', amount: 40, spent: true, reclaimed: false },
  ]);
  const earned = (await wallet.asOperator('GET', '/api/earnings')).body;
  expect(earned.groups).toMatchObject([
    { key: 'scout', earnedSats: 40 },
    { key: null, earnedSats: 100 },
  ]);
  const reclaim = await wallet.asOperator('POST', `/api/wallet/operations/${sent.operationId}/reclaim`);
  expect([reclaim.status, reclaim.body.code]).toEqual([409, 'already_spent']);
});

test('a simulated send that nobody redeemed is taken back once, and its token pays no more', {
  tags: 'slow',
}, async () => {
  const wallet = await serveTestMoney();
  await wallet.receive(await makeToken(wallet, 100));
  const { body: sent } = await send(wallet, 40);
  const reclaim = () => wallet.asOperator('POST', `/api/wallet/operations/${sent.operationId}/reclaim`);
  expect((await reclaim()).body).toMatchObject({ amount: 40, fee: 0, simulated: true });
  expect(await wallet.balance()).toBe(100);
  expect((await reclaim()).body.code).toBe('not_reclaimable');
  expect((await wallet.receive(sent.token)).body.code).toBe('token_spent');
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history')).body;
  expect(entries.slice(0, 2)).toMatchObject([
    { kind: 'reclaim', sendId: sent.operationId },
    { kind: 'send', spent: true, reclaimed: true },
  ]);
  const { body: receipt } = await wallet.receive(await makeToken(wallet, 1));
  const other = await wallet.asOperator('POST', `/api/wallet/operations/${receipt.operationId}/reclaim`);
  expect(other.body.code).toBe('not_reclaimable');
});

test('a simulated send keeps its Idempotency-Key and the limit of an agent key, also after a restart', {
  tags: 'slow',
}, async () => {
  const first = await serveTestMoney();
  await first.receive(await makeToken(first, 100));
  const key = { 'Idempotency-Key': 'k' };
  const { body: sent } = await send(first, 40, key);
  const { body: agentKey } = await first.asOperator('POST', '/api/keys', {
    scopes: ['spend'],
    label: 'x',
    spend: { satsPerDay: 20 },
  });
  const spend = (wallet: WalletServer, amount: number) =>
    wallet.call('POST', '/api/wallet/send', { amount }, { Authorization: `Bearer ${agentKey.key}` });
  expect((await spend(first, 15)).status).toBe(201);
  expect((await spend(first, 6)).body.code).toBe('spend_limit_reached');
  await first.close();

  const second = await serveTestMoney({ directory: first.directory });
  onTestFinished(() => second.close());
  expect((await send(second, 40, key)).body).toMatchObject({ token: sent.token, replayed: true });
  const found = await second.asOperator('GET', '/api/wallet/history?sendKey=k');
  expect(found.body.entries).toMatchObject([{ kind: 'send', token: sent.token }]);
  expect(await second.balance()).toBe(45);
});

test('test sats never reach real money: no real wallet takes or offers them, or makes any', async () => {
  const mint = await testMint();
  const dev = await serveWallet(mint.url, DEV_MODE);
  const [kept, token] = [await makeToken(dev, 100), await makeToken(dev, 100)];
  await dev.receive(kept);
  await dev.close();
  const real = await serveWallet(mint.url, { directory: dev.directory });
  expect(await real.balance()).toBe(0);
  expect((await real.asOperator('GET', '/api/wallet/test-tokens')).body).toEqual({ tokens: [] });
  for (const each of [kept, token]) {
    const { body } = await real.receive(each);
    expect(body).toMatchObject({ code: 'wrong_mint', acceptedMints: [mint.url] });
    expect(body.error).toBe(
      `This token is from ${TEST_MINT}/. This wallet only accepts tokens from ${mint.url}, so ask the sender for one.`,
    );
  }
  const refused = await real.asOperator('POST', '/api/wallet/test-tokens', { amount: 100 });
  expect([refused.status, refused.body.code]).toEqual([409, 'real_money']);
});
