import { getDecodedToken, hasValidDleq, type Keyset } from '@cashu/cashu-ts';
import { describe, expect, test } from 'vitest';
import { askMint } from '../../../support/mint/client.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { serveWallet } from '../../../support/wallet.ts';
import {
  expectNothingLost,
  reclaim,
  send,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';

/** What the wallet says about things that it didn't do, can't spend, or only simulates. */

describe.each([
  ['fails', { kind: 'status', status: 500 }, 'mint_unreachable'],
  ['is limited', { kind: 'status', status: 429, retryAfterSeconds: 7 }, 'mint_error'],
  ['is missing', { kind: 'status', status: 404 }, 'mint_error'],
  ['is garbage', { kind: 'garbage' }, 'mint_error'],
] as const)('while /v1/info %s', (_name, fault, code) => {
  test('a receive says that nothing has changed, and the token stays its owner’s', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    const token = mint.issue(100, { withoutDleq: true });
    mint.fail('/v1/info', fault);
    const refused = await whileTimePasses(wallet, wallet.receive(token));
    expect(refused.body.code).toBe(code);
    expect(refused.body).not.toHaveProperty('operationId');
    expect(mint.requestCount('/v1/swap')).toBe(0);
    expect(await sums(wallet)).toEqual({ balance: 0, pending: 0 });
    mint.clearFaults();
    // A limit pauses the wallet.
    wallet.clock.pass(2 * 60_000);
    expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 100 });
    await expectNothingLost(wallet, mint, [token]);
  });
});

test('a send says that nothing has changed while /v1/info fails', async () => {
  const mint = await testMint();
  const first = await serveTimedWallet(mint);
  await first.receive(mint.issue(64, { withoutDleq: true }));
  await first.close();
  const wallet = await serveTimedWallet(mint, { directory: first.directory });
  mint.fail('/v1/info', { kind: 'status' });
  expect((await whileTimePasses(wallet, send(wallet, 40))).body.code).toBe('mint_unreachable');
  expect(await sums(wallet)).toEqual({ balance: 64, pending: 0 });
});

test('a send of sats that the mint no longer lists names what the wallet can spend', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(100, { withoutDleq: true }));
  mint.rotate({ hideOld: true });
  await wallet.receive(mint.issue(8, { withoutDleq: true }));
  const { body } = await send(wallet, 50);
  expect(body.code).toBe('insufficient_funds');
  expect(body.error).toContain('can spend 8 sat, which doesn’t cover 50 sat');
  expect(body.error).toContain('100 sat are in keysets that the mint no longer lists');
});

test('operations and history entries of DEV_MODE say that they are simulated', async () => {
  const wallet = await serveWallet('https://mint.invalid', { environment: { DEV_MODE: 'true' } });
  const { operationId } = (await wallet.receive('nonsense')).body;
  const operation = (await wallet.call('GET', `/api/wallet/operations/${operationId}`)).body;
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history')).body;
  expect([operation.simulated, entries[0].simulated]).toEqual([true, true]);
});

/** Whether each proof of a token carries a DLEQ proof that its receiver can check (NUT-12). */
const areChecked = async (mint: TestMint, token: string): Promise<boolean[]> => {
  const { proofs } = getDecodedToken(
    token,
    mint.keysets().map(({ id }) => id),
  );
  const { body } = await askMint(mint.url, '/v1/keys');
  return proofs.map((proof) => {
    const keyset = body.keysets.find(({ id }: { id: string }) => id === proof.id) as Keyset;
    return proof.dleq !== undefined && hasValidDleq(proof, keyset);
  });
};

test('a sent token carries DLEQ proofs, also when its swap was recovered', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(127, { withoutDleq: true }));
  const sent = (await send(wallet, 21)).body;
  expect(await areChecked(mint, sent.token)).toEqual([true, true, true]);

  mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
  const recovered = await whileTimePasses(wallet, send(wallet, 10));
  await settle(wallet, 500);
  expect(await areChecked(mint, recovered.body.token)).toEqual([true, true]);
  // The wallet's own check accepts them, and the mint never sees them.
  expect((await reclaim(wallet, sent.operationId)).body).toMatchObject({ amount: 21 });
  const [last] = mint.requests('/v1/swap').slice(-1);
  expect(JSON.stringify(last?.body)).not.toContain('dleq');
});
